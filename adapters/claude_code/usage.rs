//! What a run used, summed over its ends.

use std::collections::BTreeMap;

use super::wire::{ModelUsage, Tokens};
use crate::event::Usage;

/// Adds what one end tells. `cost` is that of the whole session; by model it is what came since the end before.
pub(super) fn add(
    usage: &mut Usage,
    mut tokens: Tokens,
    mut cost: Option<f64>,
    models: Option<&BTreeMap<String, ModelUsage>>,
    duration_ms: Option<u64>,
) {
    if let Some(models) = models {
        tokens = Tokens::default();
        let before = usage.cost_usd.unwrap_or_default();
        cost = Some(models.values().fold(before, |cost, model| cost + model.cost));
        models.values().for_each(|model| tokens.add(model));
    }
    let read = tokens.input_tokens.saturating_add(tokens.cache_creation_input_tokens);
    plus(&mut usage.input_tokens, Some(read.saturating_add(tokens.cache_read_input_tokens)));
    plus(&mut usage.output_tokens, Some(tokens.output_tokens));
    plus(&mut usage.session_ms, duration_ms);
    usage.cost_usd = cost.or(usage.cost_usd);
    for (name, count) in [
        ("cache_creation_input_tokens", tokens.cache_creation_input_tokens),
        ("cache_read_input_tokens", tokens.cache_read_input_tokens),
    ] {
        #[expect(clippy::cast_precision_loss, reason = "no run reads so many tokens")]
        let count = count as f64;
        *usage.other.entry(name.to_owned()).or_default() += count;
    }
}

impl Tokens {
    fn add(&mut self, model: &ModelUsage) {
        for (sum, more) in [
            (&mut self.input_tokens, model.input_tokens),
            (&mut self.output_tokens, model.output_tokens),
            (&mut self.cache_read_input_tokens, model.cache_read_input_tokens),
            (&mut self.cache_creation_input_tokens, model.cache_creation_input_tokens),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

fn plus(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
