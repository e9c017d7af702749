//! What is masked, what is not, and that no planted secret survives.

use proptest::prelude::*;

use super::*;

#[test]
fn every_shape_compiles() {
    assert!(shapes::all_compile());
}

#[test]
fn each_shape_is_masked_and_its_surroundings_stay() {
    let cases = [
        ("token ghp_0123456789abcdefABCDEF0123456789abcd here", "token <redacted> here"),
        ("GH_TOKEN=gho_0123456789abcdefABCDEF", "GH_TOKEN=<redacted>"),
        ("x_ghs_0123456789abcdefABCDEF.", "x_<redacted>."),
        ("bearer: abcdefghijkl0123", "bearer: <redacted>"),
        ("machine example.org login me password hunter22xyz", "machine example.org login me password <redacted>"),
        ("//registry.example/:_auth=dXNlcjpwYXNz", "//registry.example/:_auth=<redacted>"),
        ("pass=hunter2", "pass=<redacted>"),
        ("curl -u user:hunter22 x", "curl -u <redacted> x"),
        ("Passwort: hunter22", "Passwort: <redacted>"),
        ("\u{5bc6}\u{7801}\u{ff1a}hunter22", "\u{5bc6}\u{7801}\u{ff1a}<redacted>"),
        ("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789", "<redacted>"),
        ("key sk-ant-api03-abcDEF_ghi-jkl was refused", "key <redacted> was refused"),
        (
            "Incorrect API key provided: sk-proj-abcdefgh12345678. You can",
            "Incorrect API key provided: <redacted>. You can",
        ),
        ("sk-abcdefghijklmnop0123456789", "<redacted>"),
        ("xoxb-123456789012-abcdefghij", "<redacted>"),
        ("AKIAIOSFODNN7EXAMPLE", "<redacted>"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "<redacted>"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl end", "jwt <redacted> end"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer <redacted>"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic <redacted>"),
        ("{\"Authorization\":\"token 0123abcd\"}", "{\"Authorization\":\"token <redacted>\"}"),
        ("{\\\"Authorization\\\":\\\"Bearer 0123abcd\\\"}", "{\\\"Authorization\\\":\\\"Bearer <redacted>\\\"}"),
        ("curl -H 'Authorization: 0123456789abcdef'", "curl -H 'Authorization: <redacted>'"),
        ("sent Bearer abcdefghijkl0123", "sent Bearer <redacted>"),
        ("x-api-key: hunter-two", "x-api-key: <redacted>"),
        ("X-Goog-Api-Key: abcd1234", "X-Goog-Api-Key: <redacted>"),
        ("Cookie: session=abc; other=def", "Cookie: <redacted>"),
        ("https://user:p4ss@host/x", "https://<redacted>@host/x"),
        ("http://user:p@ss@proxy:8080", "http://<redacted>@proxy:8080"),
        ("https://0123456789abcdef0123@github.com/o/r.git", "https://<redacted>@github.com/o/r.git"),
        ("GET https://h/cb?code=abc&token=def&x=1", "GET https://h/cb?code=<redacted>&token=<redacted>&x=1"),
        ("https://h/?key=abcd", "https://h/?key=<redacted>"),
        ("https://h/?code=123456", "https://h/?code=<redacted>"),
        ("https://h/blob?sv=1&sig=aB%2Fc", "https://h/blob?sv=1&sig=<redacted>"),
        ("the request had sig=aBcDeFgHiJ0123%2Bk%3D.", "the request had sig=<redacted>."),
        ("signature=0123456789abcdef0123, sent", "signature=<redacted>, sent"),
        ("api_key: abcdefghijklmnop", "api_key: <redacted>"),
        ("{\n  apiKey: abcdefgh,\n}", "{\n  apiKey: <redacted>,\n}"),
        ("  secret-key: qwertyuiop\nnext", "  secret-key: <redacted>\nnext"),
        ("token: abcdefghijklmnopqrstuvwx is wrong", "token: <redacted> is wrong"),
        ("password=hunter2 user=me", "password=<redacted> user=me"),
        ("Password: hunter2", "Password: <redacted>"),
        ("{\"password\": \"correct horse\", \"a\": 1}", "{\"password\": \"<redacted>\", \"a\": 1}"),
        ("{\\\"client_secret\\\":\\\"abc def\\\"}", "{\\\"client_secret\\\":\\\"<redacted>\\\"}"),
        (r#"{"password":"pa\"ss","a":1}"#, r#"{"password":"<redacted>","a":1}"#),
        ("Uid=me;Pwd=hunter;", "Uid=me;Pwd=<redacted>;"),
        ("DB_PASSWORD=a&b,c;d e", "DB_PASSWORD=<redacted> e"),
        ("password=123456", "password=<redacted>"),
        ("  db.password: swordfish", "  db.password: <redacted>"),
        ("DB_PASSWORD='a b c'", "DB_PASSWORD='<redacted>'"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = <redacted>"),
        ("run --api-key abc --model x", "run --api-key <redacted> --model x"),
        ("run --token=abc", "run --token=<redacted>"),
        ("ANTHROPIC_API_KEY=dummy", "ANTHROPIC_API_KEY=<redacted>"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcd+/==\n-----END RSA PRIVATE KEY-----\nafter",
            "<redacted>\nafter",
        ),
        ("\"-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----\\n\"", "\"<redacted>\\n\""),
        ("MIIEpAIBAAKCAQEAabcd\n0123456789abcdef\n-----END OPENSSH PRIVATE KEY-----", "<redacted>"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA", "<redacted>"),
    ];
    for (text, masked) in cases {
        assert_eq!(redact(text, &[]), masked, "of {text}");
        assert_eq!(redact(masked, &[]), masked, "masking what is masked changes nothing");
    }
}

#[test]
fn ordinary_text_is_left_as_it_is() {
    for text in [
        "Classic Personal Access Tokens (ghp_) are not supported by Copilot.",
        "Set the COPILOT_GITHUB_TOKEN, GH_TOKEN, or GITHUB_TOKEN environment variable",
        "Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.",
        "The bearer of good news, and the basic idea of authentication.",
        "Bearer authentication is required",
        "Authorization: required",
        "author not found; the authorization was refused",
        "The task-force-of-many-people-who-care and the disk-usage-of-the-archive",
        "sk-learn-based-approach-to-everything",
        "Tokens     ↑ 20 • ↓ 10",
        "max_tokens=4096 total_tokens: 128000",
        "Request exceeds the model's prompt budget after reserving output (503051 tokens; limit 128000).",
        "token=null secret=<redacted> password=$PASSWORD api_key=${KEY} token: undefined",
        "Password: required",
        "PWD=/home/user OLDPWD=/",
        "the secret: love",
        "error: token: missing",
        "--secret-env-vars=GH_TOKEN,OTHER --deny-tool=shell --token-limit 5",
        "https://docs.github.com/copilot/concepts/rate-limits",
        "ssh://git@github.com/o/r.git and git@github.com:o/r.git",
        "https://user@example.com/path",
        "see http://127.0.0.1:8910/v1 (HTTP 401).",
        "copilot --resume=11d233ae-5d4b-4845-93d7-6663f987494b",
        "/usr/local/lib/node_modules/@github/copilot-linux-x64/copilot",
        "eyJ is how a web token begins",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "commit 6ea760193f1c0a55c1f2f0a9d2d1c4b3a2918273",
        "Cookies: none",
        "docker run -u node:node -u 1000:1000 x",
        "12 tests pass=12 fail=0, bypass=yes",
        "Passwort: erforderlich",
        "GET https://h/cb?code=12 and https://h/?error=1&code=404",
        "token: 'foo' and { password: \"bar\" } are examples",
        "expected { apiKey: 'string', token: \"object\" }",
        "export OPENAI_API_KEY=your-key-here, or api_key: YOUR_API_KEY",
        "api_key: please set it in the settings",
        "API key: environment variable not set",
        "access_key: missing",
        "sig=short signature=none, design=important-but-no-secret",
        "the signature=handwritten-on-paper was read",
        "the bearer: a man of good news",
        "C:\\Users\\me\\AppData\\Roaming\\npm\\copilot.cmd",
        "passwords are kept by the keychain; a token is a key",
    ] {
        assert_eq!(redact(text, &[]), text);
    }
}

#[test]
fn a_value_is_masked_in_every_form_in_which_programs_print_it() {
    let value = String::from("p\"a/ss wörd+'x'");
    let values = [value.clone()];
    let json = serde_json::to_string(&value).unwrap();
    let twice = serde_json::to_string(&json).unwrap();
    assert_eq!(redact(&json, &values), format!("\"{MASK}\""));
    assert!(!redact(&twice, &values).contains("ss w"), "{}", redact(&twice, &values));
    assert_eq!(redact("%70 p%22a%2Fss%20w%C3%B6rd%2B%27x%27", &values), format!("%70 {MASK}"));
    assert_eq!(redact("p\\\"a/ss w\\u00f6rd+'x'", &values), MASK);
    assert_eq!(redact(r#"'p"a/ss wörd+'\''x'\'''"#, &values), format!("'{MASK}'"));
}

#[test]
fn a_value_is_masked_in_base64_wherever_it_begins() {
    let values = [String::from("planted-value-0")];
    // printf %s 'planted-value-0' | base64, then with one, two and three bytes before it.
    for encoded in
        ["cGxhbnRlZC12YWx1ZS0w", "OnBsYW50ZWQtdmFsdWUtMA==", "YTpwbGFudGVkLXZhbHVlLTA=", "YWI6cGxhbnRlZC12YWx1ZS0w"]
    {
        let masked = redact(encoded, &values);
        assert!(masked.contains(MASK) && masked.len() <= MASK.len() + 8, "{encoded}: {masked}");
    }
}

#[test]
fn short_values_are_masked_only_where_they_stand_alone() {
    let values = [String::from("abcd"), String::from("x"), String::new()];
    assert_eq!(redact("abcd xabcdx (abcd) x", &values), format!("{MASK} xabcdx ({MASK}) x"));
}

#[test]
fn a_value_of_several_lines_is_masked_line_by_line() {
    let values = [String::from("first line of it\nsecond line of it\n")];
    assert_eq!(redact("> second line of it", &values), format!("> {MASK}"));
}

#[test]
fn a_value_that_is_part_of_the_mask_does_no_harm() {
    let values = [String::from("redacted"), String::from("ghp_0123456789abcdef")];
    assert_eq!(redact("ghp_0123456789abcdef", &values), MASK);
}

/// Tokens as their makers make them.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "gh[pousr]_[A-Za-z0-9]{36}",
        "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
        "sk-ant-api03-[A-Za-z0-9_-]{40}[A-Za-z0-9]",
        "sk-proj-[A-Za-z0-9]{40}",
        "sk-[A-Za-z]{20}[0-9][A-Za-z0-9]{20}",
        "xox[bp]-[0-9]{12}-[A-Za-z0-9]{24}",
        "AKIA[A-Z0-9]{16}",
        "AIza[A-Za-z0-9]{35}",
        "eyJ[A-Za-z0-9]{20}\\.eyJ[A-Za-z0-9]{20}\\.[A-Za-z0-9_-]{20}[A-Za-z0-9]",
        "npm_[A-Za-z0-9]{36}",
        "glpat-[A-Za-z0-9]{20}",
    ]
}

proptest! {
    #[test]
    fn no_planted_token_survives_whatever_stands_around_it(
        secret in secret(),
        before in "(?s).{0,40}",
        glue in "[ \"'=:(,\n]",
        after in "(?:[ \"'),;\n](?s:.{0,40}))?",
    ) {
        let text = format!("{before}{glue}{secret}{after}");
        let masked = redact(&text, &[]);
        prop_assert!(!masked.contains(&secret), "{text:?} became {masked:?}");
    }

    #[test]
    fn no_value_that_the_run_carried_survives(value in "\\PC{8,60}", before in "\\PC{0,40}", after in "\\PC{0,40}") {
        let value = value.trim().to_owned();
        prop_assume!(value.len() >= 8 && !"<redacted>".contains(&value));
        let text = format!("{before}{value}{after}{}", serde_json::to_string(&value).unwrap());
        let masked = redact(&text, std::slice::from_ref(&value));
        prop_assert!(!masked.contains(&value), "{text:?} became {masked:?}");
    }

    #[test]
    fn any_text_can_be_masked_and_hardly_grows(text in "(?s).{0,400}", values in prop::collection::vec("\\PC{0,20}", 0..4)) {
        let masked = redact(&text, &values);
        // The shortest secret by shape is one byte with a name of at least three and a sign before it.
        prop_assert!(masked.len() <= 4 * text.len() + MASK.len());
    }
}
