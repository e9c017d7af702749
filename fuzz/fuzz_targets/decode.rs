//! Any bytes, cut anywhere: the decoder never panics, and the cuts change nothing.
#![no_main]

use agent_launcher::bench_internals::CopilotJson;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first byte says where to cut, so that the fuzzer can move the cuts.
    let Some((&step, bytes)) = data.split_first() else { return };
    let mut whole = CopilotJson::new();
    let all = format!("{:?}", whole.push(bytes));
    let mut cut = CopilotJson::new();
    let mut pieces = Vec::new();
    for piece in bytes.chunks(usize::from(step).max(1)) {
        pieces.extend(cut.push(piece).iter().cloned());
    }
    assert_eq!(all, format!("{:?}", pieces.as_slice()));
});
