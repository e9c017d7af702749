//! Tests of the rules, the texts and the classification as a whole.

mod rules;
