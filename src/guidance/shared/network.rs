//! Rules of every agent about the network and certificates.

use crate::guidance::Code;
use crate::guidance::rule::{Example::*, Rule, phrase};

pub(super) static RULES: &[Rule] = &[
    // Certificates before the network: their sentences hold network words.
    Rule {
        on: phrase(
            r"(?:[^\n]*(?:[:(\[] ?| - |\) ))?(?:self[- ]signed certificate(?: in certificate chain)?\b|unable to verify the first certificate\b|unable to get (?:local )?issuer certificate\b|certificate has expired\b|certificate is not yet valid\b|Hostname/IP does not match certificate's altnames)(?:[;:,.]|\s*\)|\s*$)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "Node 20 (OpenSSL 3); github/copilot-cli#333",
        example: Text(
            "FetchError: request to https://api.github.com/ failed, reason: self-signed certificate in certificate chain",
        ),
        near_miss: Text("I described how a self-signed certificate in certificate chain works in the note."),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[] ?)?['\x22]?(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_UNTRUSTED|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_[A-Z_]+|ERR_TLS_[A-Z_]+)(?:[)\]'\x22.,]|\s*$)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "the names of Node 20 for refused certificates; github/copilot-cli#333",
        example: Text("Error: request failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
        near_miss: Text("The constant UNABLE_TO_VERIFY_LEAF_SIGNATURE is explained in chapter 3"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*: )?(?:invalid peer certificate: [A-Za-z]+|SSL certificate problem: [^\n]+|certificate verify failed\b[^\n]*|x509: certificate [^\n]+|The certificate chain was issued by an authority that is not trusted)",
        ),
        code: Code::Tls,
        text: "tls",
        source: "rustls 0.23, curl 8, Python 3 and Go, whose words Copilot's native core and others print",
        example: Text(
            "error sending request for url (https://api.github.com/): client error (Connect): invalid peer certificate: UnknownIssuer",
        ),
        near_miss: Text("a peer certificate in swimming"),
    },
    // Proxy.
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(] ?)?(?:proxy authorization required|Proxy Authentication Required|407 Proxy Authentication Required|unsuccessful tunnel|Proxy response \(40[37]\) !== 200 when HTTP Tunneling|tunneling socket could not be established, (?:cause|statusCode)=[^\n]+)\)?\.?\s*$",
        ),
        code: Code::Network,
        text: "proxy",
        source: "Copilot CLI 1.0.102 strings (hyper), undici, 2026-11",
        example: Text("Error: Proxy response (407) !== 200 when HTTP Tunneling"),
        near_miss: Text("Write about why proxy authorization required a signature"),
    },
    // Names of the network.
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[,] ?)?'?(?:getaddrinfo (?:ENOTFOUND|EAI_AGAIN)(?: (?P<address>[\w.-]+))?|dns error: [^\n]+|failed to lookup address information: [^\n]+|Could not resolve host(?:: (?P<server>[\w.-]+))?|Temporary failure in name resolution\s*$|Name or service not known\s*$|nodename nor servname provided, or not known)",
        ),
        code: Code::Network,
        text: "dns",
        source: "Node 20, glibc, hyper; Copilot CLI 1.0.102, recording 5_gh_user200_minimal_text, 2026-11-30",
        example: Text("Error: getaddrinfo ENOTFOUND api.githubcopilot.com"),
        near_miss: Text("The function getaddrinfo is described here"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[,] ?)?(?:connect|read|write|socket|recv|send) (?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|EADDRNOTAVAIL)(?: (?P<address>[\w.\[\]-]*[:.\d][\w.:\[\]-]*)|[;,)\]\x27\x22]|\s*$)",
        ),
        code: Code::Network,
        text: "network",
        source: "Node 20's system errors; github/copilot-cli#41",
        example: Text("Error: connect ECONNREFUSED 127.0.0.1:443"),
        near_miss: Text("connect the dots, ECONNREFUSED or not"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[:(\[{] ?)?write EPROTO [0-9A-Fa-f]+:error:[0-9A-Fa-f]+:SSL routines:[^\n]*:(?:(?i:wrong version number)|unsupported protocol):",
        ),
        code: Code::Network,
        text: "network",
        source: "Node with a proxy that speaks plain HTTP; openssl/openssl#18757, fannheyward/coc-marketplace#31",
        example: Text(
            r"Error: write EPROTO 1C3B0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:c:\ws\deps\ssl3_record.c:355:",
        ),
        near_miss: Text("write EPROTO is explained under SSL routines: wrong version number"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*[\[(]|(?:errno|code|cause): ')?(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|UND_ERR_SOCKET|ERR_NETWORK|ERR_INTERNET_DISCONNECTED|ERR_NAME_NOT_RESOLVED)(?:[\])',]|\s*$)",
        ),
        code: Code::Network,
        text: "network",
        source: "Node 20's and undici's names at the end of a sentence or as a code",
        example: Text("  code: 'UND_ERR_CONNECT_TIMEOUT',"),
        near_miss: Text("ENOTFOUND and friends are explained in the manual"),
    },
    Rule {
        on: phrase(r"(?:[^\n:]+: ){0,3}(?:fetch failed|network fetch failed(?:: [^\n]+)?|Failed to fetch)\s*$"),
        code: Code::Network,
        text: "network",
        source: "undici's TypeError; github/copilot-cli#355, #41",
        example: Text("TypeError: fetch failed"),
        near_miss: Text("the dog's fetch failed to impress"),
    },
    Rule {
        on: phrase(
            r"(?:[^\n]*: )?(?:error sending request for url \((?P<address>[^)\n]+)\)|socket hang up\s*$|request to (?P<server>https?://[^\n ]+) failed, reason: |Network is unreachable|Connection refused \(os error \d+\)|[Cc]onnection timed out(?:[.,;)]| \(|\s*$)|operation timed out(?:[.,;)]| \(|\s*$)|The socket connection was closed unexpectedly)",
        ),
        code: Code::Network,
        text: "network",
        source: "reqwest, Node 20, node-fetch, Bun; Copilot CLI 1.0.102, recording 5_badtoken_gho_text, 2026-11-30",
        example: Text(
            "network fetch failed: request failed: error sending request for url (https://api.github.com/copilot_internal/user)",
        ),
        near_miss: Text("I keep sending requests for the url"),
    },
];
