//! A stand-in for what Copilot asks of its service beside the model: who signed in, and which models there are.
//!
//! The bodies are what the CLI was found to accept, not recordings of the service.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

/// A token of the shape that a sign-in leaves. It opens nothing.
pub const TOKEN: &str = "gho_0123456789abcdef0123456789abcdef0123";

pub(super) fn answer(path: &str, host: &str) -> Response {
    let base = format!("http://{host}");
    match path {
        "/copilot_internal/user" => reply(StatusCode::OK, &user(&base)),
        "/user" => reply(StatusCode::OK, &json!({ "login": "someone", "id": 1 })),
        "/models" => reply(StatusCode::OK, &json!({ "object": "list", "data": [model()] })),
        _ => reply(StatusCode::NOT_FOUND, &json!({ "message": "Not Found" })),
    }
}

fn reply(status: StatusCode, body: &Value) -> Response {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(body.to_string())).expect("the header is valid")
}

fn user(base: &str) -> Value {
    json!({
        "login": "someone", "access_type_sku": "free_limited_copilot", "analytics_tracking_id": "x",
        "assigned_date": null, "can_signup_for_limited": false, "chat_enabled": true, "copilot_plan": "individual",
        "organization_login_list": [], "organization_list": [], "is_mcp_enabled": true, "quota_snapshots": {},
        "endpoints": { "api": base, "proxy": base, "telemetry": base, "origin-tracker": base },
    })
}

fn model() -> Value {
    json!({
        "id": "gpt-5-mini", "name": "GPT-5 mini", "object": "model", "vendor": "OpenAI", "version": "gpt-5-mini",
        "preview": false, "model_picker_enabled": true, "is_chat_default": true, "is_chat_fallback": true,
        "billing": { "is_premium": false, "multiplier": 0 }, "policy": { "state": "enabled", "terms": "" },
        "supported_endpoints": ["/chat/completions"],
        "capabilities": {
            "type": "chat", "family": "gpt-5-mini", "object": "model_capabilities", "tokenizer": "o200k_base",
            "limits": { "max_context_window_tokens": 128_000, "max_output_tokens": 16_000, "max_prompt_tokens": 112_000 },
            "supports": { "streaming": true, "tool_calls": true, "parallel_tool_calls": true },
        },
    })
}
