//! A scripted model server on a local port, and a log of all it was asked. It speaks OpenAI chat completions; what else
//! it speaks stands in files of its own ([`super::messages`], [`super::responses`]), on the same scripts.
//!
//! Which turn of the script answers is decided by the conversation itself: by how many answers of the model stand after
//! the person's last message. So a request that is sent again gets the same turn again, and a session that is continued
//! begins at the first turn. Requests that offer no tool (such as one for a title) are answered aside.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::service;

/// A point in an answer that the server passes only once the test has opened it. So pace is tested without a clock.
#[derive(Clone, Debug)]
pub struct Gate(watch::Sender<bool>);

impl Gate {
    pub fn new() -> Gate {
        Gate(watch::channel(false).0)
    }

    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(super) async fn passed(&self) {
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

/// A part of an answer.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Think(String),
    Tool {
        name: String,
        args: String,
    },
    Gate(Gate),
    Pause(Duration),
    /// The connection breaks here.
    Cut,
    /// Nothing more comes, and the connection stays.
    Hang,
}

/// One answer of the model.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    pub(super) parts: Vec<Part>,
    status: Option<(u16, String)>,
    headers: Vec<(&'static str, String)>,
    silent: bool,
}

/// An answer that begins with this text.
pub fn text(text: impl Into<String>) -> Turn {
    Turn::default().text(text)
}

/// An answer that begins by using a tool.
pub fn tool(name: &str, args: Value) -> Turn {
    Turn::default().tool(name, args)
}

/// An HTTP error with this body.
pub fn status(code: u16, body: impl Into<String>) -> Turn {
    Turn { status: Some((code, body.into())), ..Turn::default() }
}

/// No answer at all: the connection is taken and nothing is ever sent.
pub fn silence() -> Turn {
    Turn { silent: true, ..Turn::default() }
}

impl Turn {
    fn part(mut self, part: Part) -> Turn {
        self.parts.push(part);
        self
    }

    pub fn text(self, text: impl Into<String>) -> Turn {
        self.part(Part::Text(text.into()))
    }

    pub fn think(self, text: impl Into<String>) -> Turn {
        self.part(Part::Think(text.into()))
    }

    pub fn tool(self, name: &str, args: Value) -> Turn {
        self.part(Part::Tool { name: name.into(), args: args.to_string() })
    }

    pub fn gate(self, gate: &Gate) -> Turn {
        self.part(Part::Gate(gate.clone()))
    }

    pub fn pause(self, limit: Duration) -> Turn {
        self.part(Part::Pause(limit))
    }

    pub fn cut(self) -> Turn {
        self.part(Part::Cut)
    }

    pub fn hang(self) -> Turn {
        self.part(Part::Hang)
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Turn {
        self.headers.push((name, value.into()));
        self
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Call {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    /// The turn of the script that answered; none for a request aside.
    pub turn: Option<usize>,
}

impl Call {
    /// The names of the tools that the model may use.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools
            .filter_map(|tool| tool["function"]["name"].as_str().or(tool["name"].as_str()))
            .map(str::to_owned)
            .collect()
    }

    /// The texts of the messages of a role, oldest first.
    pub fn messages(&self, role: &str) -> Vec<String> {
        let messages = self.body["messages"].as_array().into_iter().flatten();
        messages.filter(|message| message["role"] == role).map(|message| content(&message["content"])).collect()
    }

    /// The person's last message.
    pub fn prompt(&self) -> String {
        self.messages("user").pop().unwrap_or_default()
    }
}

/// The text of a message, whether given as one string or in parts.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// The running server. It ends with the test's runtime.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    state: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    turns: Mutex<Vec<Vec<Turn>>>,
    log: Mutex<Log>,
    /// The number of requests so far, for those who wait.
    count: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Log {
    calls: Vec<Call>,
    attempts: HashMap<usize, usize>,
    tools: usize,
}

impl Model {
    /// Serves these turns. A conversation that goes on past the last turn gets the last again.
    pub async fn start(turns: impl IntoIterator<Item = Turn>) -> Model {
        Model::with_attempts(turns.into_iter().map(|turn| vec![turn])).await
    }

    /// As [`start`](Model::start), where each turn is a list: one answer for the first attempt at it, one for the second…
    pub async fn with_attempts(turns: impl IntoIterator<Item = Vec<Turn>>) -> Model {
        let turns = Mutex::new(turns.into_iter().collect());
        let state = Arc::new(Shared { turns, log: Mutex::default(), count: watch::channel(0).0 });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a local port is free");
        let address = listener.local_addr().expect("a bound listener has an address");
        let router = axum::Router::new()
            .fallback(answer)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Model { address, state }
    }

    /// A server without a script yet, for scripts that name the machine's paths.
    pub async fn empty() -> Model {
        Model::start([text("no script yet")]).await
    }

    /// Replaces the script, from the next request on.
    pub fn script(&self, turns: impl IntoIterator<Item = Turn>) {
        let turns = turns.into_iter().map(|turn| vec![turn]).collect();
        *self.state.turns.lock().expect("no test panics while it holds the script") = turns;
        self.state.log.lock().expect("no test panics while it holds the log").attempts.clear();
    }

    /// An address of a server that is not there.
    pub async fn refused() -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a local port is free");
        format!("http://{}/v1", listener.local_addr().expect("a bound listener has an address"))
    }

    /// The address for `COPILOT_DEBUG_GITHUB_API_URL`, by which Copilot takes this server for the whole service.
    pub fn service_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base address for the agent.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests that the script answered, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        let log = self.state.log.lock().expect("no test panics while it holds the log");
        log.calls.iter().filter(|call| call.turn.is_some()).cloned().collect()
    }

    /// All requests, those aside included.
    pub fn all_calls(&self) -> Vec<Call> {
        self.state.log.lock().expect("no test panics while it holds the log").calls.clone()
    }

    /// Waits until `wanted` requests have come that the script answers.
    pub async fn called(&self, wanted: usize) {
        let mut count = self.state.count.subscribe();
        let wait = count.wait_for(|count| *count >= wanted);
        let _ = tokio::time::timeout(super::DEADLINE, wait).await.expect("the agent asks the model in time");
    }

    /// What the tools answered, by the order of the answers in the last request.
    pub fn tool_results(&self) -> Vec<String> {
        self.calls().last().map(|call| call.messages("tool")).unwrap_or_default()
    }
}

/// What the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    ChatCompletions,
    Messages,
    Responses,
}

impl Protocol {
    /// The protocol of a request, by its address.
    fn of(path: &str) -> Option<Protocol> {
        let known = [
            ("/chat/completions", Protocol::ChatCompletions),
            ("/v1/messages", Protocol::Messages),
            ("/responses", Protocol::Responses),
        ];
        known.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, protocol)| protocol)
    }

    /// Which turn answers this conversation.
    fn turn_of(self, body: &Value, turns: &[Vec<Turn>]) -> usize {
        match self {
            Protocol::ChatCompletions => turn_of(body),
            Protocol::Messages => super::messages::turn_of(body),
            Protocol::Responses => super::responses::turn_of(body, turns),
        }
    }

    fn stream(self, parts: Vec<Part>, ids: usize) -> Body {
        match self {
            Protocol::ChatCompletions => Body::from_stream(stream(parts, ids)),
            Protocol::Messages => Body::from_stream(super::messages::stream(parts, ids)),
            Protocol::Responses => Body::from_stream(super::responses::stream(parts, ids)),
        }
    }

    /// An answer that is not streamed. Codex asks for none.
    fn whole(self, text: &str, ids: usize) -> Value {
        match self {
            Protocol::ChatCompletions | Protocol::Responses => {
                json!({ "id": "c", "object": "chat.completion", "created": 0,
                "model": "mock", "usage": usage(),
                "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }] })
            }
            Protocol::Messages => super::messages::whole(text, ids),
        }
    }
}

/// Which turn answers this conversation.
fn turn_of(body: &Value) -> usize {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().rev().take_while(|m| m["role"] != "user").filter(|m| m["role"] == "assistant").count()
}

async fn answer(
    State(state): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let Some(protocol) = Protocol::of(uri.path()).filter(|_| method == Method::POST) else {
        let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default().to_owned();
        let mut log = state.log.lock().expect("no handler panics while it holds the log");
        log.calls.push(Call { path: uri.path().into(), headers, body, turn: None });
        return service::answer(uri.path(), &host);
    };
    let main = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let (turn, ids) = {
        let mut log = state.log.lock().expect("no handler panics while it holds the log");
        let turns = state.turns.lock().expect("no test panics while it holds the script");
        let index = protocol.turn_of(&body, &turns).min(turns.len().saturating_sub(1));
        log.calls.push(Call { path: uri.path().into(), headers, body: body.clone(), turn: main.then_some(index) });
        let attempts = &turns[index];
        let attempt = log.attempts.entry(index).or_default();
        let turn = if main { attempts[(*attempt).min(attempts.len() - 1)].clone() } else { text("aside") };
        *attempt += usize::from(main);
        let ids = log.tools;
        log.tools += turn.parts.len();
        (turn, ids)
    };
    if main {
        state.count.send_modify(|count| *count += 1);
    }
    if turn.silent {
        std::future::pending::<()>().await;
    }
    let mut response = Response::builder();
    for (name, value) in &turn.headers {
        response = response.header(*name, value);
    }
    if let Some((code, body)) = turn.status {
        let code = StatusCode::from_u16(code).expect("the script names a real status");
        let response = response.status(code).header("content-type", "application/json");
        return response.body(Body::from(body)).expect("the script's headers are valid");
    }
    if body["stream"] != true {
        let whole: String =
            turn.parts.iter().filter_map(|p| if let Part::Text(t) = p { Some(t.as_str()) } else { None }).collect();
        return Response::builder()
            .header("content-type", "application/json")
            .body(Body::from(protocol.whole(&whole, ids).to_string()))
            .expect("the header is valid");
    }
    let response = response.header("content-type", "text/event-stream");
    response.body(protocol.stream(turn.parts, ids)).expect("the script's headers are valid")
}

fn usage() -> Value {
    json!({ "prompt_tokens": 120, "completion_tokens": 34, "total_tokens": 154 })
}

fn stream(parts: Vec<Part>, ids: usize) -> impl futures_util::Stream<Item = Result<Bytes, std::io::Error>> {
    async_stream::stream! {
        let event = |delta: Value, finish: Option<&str>| {
            let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "mock",
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
            Ok(Bytes::from(format!("data: {chunk}\n\n")))
        };
        yield event(json!({ "role": "assistant", "content": "" }), None);
        let mut tools = 0;
        for part in parts {
            match part {
                Part::Text(text) => yield event(json!({ "content": text }), None),
                Part::Think(text) => yield event(json!({ "reasoning_content": text }), None),
                Part::Tool { name, args } => {
                    let call = json!({ "index": tools, "id": format!("call_{}", ids + tools), "type": "function",
                        "function": { "name": name, "arguments": args } });
                    yield event(json!({ "tool_calls": [call] }), None);
                    tools += 1;
                }
                Part::Gate(gate) => gate.passed().await,
                Part::Pause(limit) => tokio::time::sleep(limit).await,
                Part::Cut => {
                    // What was sent must leave before the connection breaks.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    yield Err(std::io::Error::other("cut by the script"));
                    return;
                }
                Part::Hang => std::future::pending::<()>().await,
            }
        }
        yield event(json!({}), Some(if tools > 0 { "tool_calls" } else { "stop" }));
        let last = json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "mock",
            "choices": [], "usage": usage() });
        yield Ok(Bytes::from(format!("data: {last}\n\ndata: [DONE]\n\n")));
    }
}
