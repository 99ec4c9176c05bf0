//! Numbers as people read them.

use planrun::compare::CountOf;
use planrun::report::{Precision, change, compact, p_value, share};

#[test]
fn a_change_has_its_sign_and_no_more_decimals_than_its_interval_carries() {
    let shown = |value, half| change(value, Precision::of_half_width(half), "%");
    assert_eq!(shown(-4.13, 1.5), "\u{2212}4.1\u{a0}%");
    assert_eq!(shown(35.13, 0.7), "+35.1\u{a0}%");
    assert_eq!(shown(35.13, 12.0), "+35\u{a0}%");
    assert_eq!(shown(0.123, 0.05), "+0.12\u{a0}%");
}

#[test]
fn zero_has_no_sign() {
    assert_eq!(change(-0.04, Precision::of_half_width(1.0), "%"), "0.0\u{a0}%");
}

#[test]
fn a_share_is_printed_with_its_count_and_the_decimals_that_it_carries() {
    assert_eq!(share(CountOf { k: 7, n: 10 }), "7/10 (70\u{a0}%)");
    assert_eq!(share(CountOf { k: 141, n: 200 }), "141/200 (70.5\u{a0}%)");
    assert_eq!(share(CountOf { k: 1, n: 3000 }), "1/3000 (0.03\u{a0}%)");
    assert_eq!(share(CountOf { k: 0, n: 0 }), "0/0");
}

#[test]
fn values_have_four_significant_digits() {
    assert_eq!(compact(212.345), "212.3");
    assert_eq!(compact(0.012_345_6), "0.01235");
    assert_eq!(compact(0.0), "0.000");
    assert_eq!(compact(-3.0), "\u{2212}3.000");
    assert_eq!(compact(2.5e7), "2.500e7");
}

#[test]
fn small_p_values_are_bounds() {
    assert_eq!(p_value(0.000_012), "< 0.0001");
    assert_eq!(p_value(0.000_42), "0.0004");
    assert_eq!(p_value(0.031_2), "0.031");
    assert_eq!(p_value(0.5), "0.50");
}
