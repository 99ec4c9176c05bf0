//! The items of a workload as numbers: one value for each task and arm, identical repeats counted once.

use super::arms::Arms;
use crate::generation::StopReason;
use crate::record::Item;
use crate::stats::Cluster;
use std::collections::BTreeMap;

/// The values of one arm by task id.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmItems {
    pub(super) values: BTreeMap<String, ItemValue>,
}

/// One task's value in one arm: the mean over runs and passes, which all agree unless `differs`.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemValue {
    pub(super) value: f64,
    pub(super) group: Option<String>,
    pub(super) differs: bool,
}

impl ArmItems {
    /// The mean over items.
    pub(super) fn mean(&self) -> Option<f64> {
        crate::stats::mean(&self.values.values().map(|item| item.value).collect::<Vec<f64>>())
    }

    /// True if every value is 0 or 1.
    pub(super) fn is_binary(&self) -> bool {
        self.values.values().all(|item| item.is(0.0) || item.is(1.0))
    }

    pub(super) fn is_grouped(&self) -> bool {
        self.values.values().any(|item| item.group.is_some())
    }

    /// Items whose value was not the same in every run.
    pub(super) fn differing(&self) -> usize {
        self.values.values().filter(|item| item.differs).count()
    }
}

impl ItemValue {
    /// True if the value is exactly this one (a score of 0 or 1 is stored, not computed).
    pub(super) fn is(&self, value: f64) -> bool {
        self.value.total_cmp(&value).is_eq()
    }
}

/// The value of a metric for one item; `None` where it has none, or for a metric that is not read off items.
fn value(metric: &str, item: &Item) -> Option<f64> {
    let share = |hit: bool| Some(f64::from(u8::from(hit)));
    match metric {
        "quality" => item.score,
        "reply_tokens" => item.reply_tokens.map(f64::from),
        "capped_share" => item.stop.and_then(|stop| share(stop != StopReason::Eos)),
        "unanswered_share" => share(item.answer.is_none()),
        "failed_share" => share(item.error.is_some()),
        "accepted_share" => item.accepted_share(),
        _ => None,
    }
}

/// Reads a metric off the items of every arm.
pub(super) fn arm_items(arms: &Arms<'_>, metric: &str) -> Vec<ArmItems> {
    (0..arms.planned.arms.len()).map(|arm| of_arm(arms, arm, metric)).collect()
}

fn of_arm(arms: &Arms<'_>, arm: usize, metric: &str) -> ArmItems {
    let mut seen: BTreeMap<&str, (Vec<f64>, Option<&String>)> = BTreeMap::new();
    for item in arms.runs_of(arm).flat_map(|record| &record.items) {
        if let Some(value) = value(metric, item) {
            let entry = seen.entry(&item.id).or_default();
            entry.0.push(value);
            entry.1 = item.group.as_ref();
        }
    }
    let averaged = seen.into_iter().map(|(id, (values, group))| {
        let differs = values.iter().any(|value| value.total_cmp(&values[0]).is_ne());
        let value = if differs { crate::stats::mean(&values).unwrap_or(0.0) } else { values[0] };
        (id.to_owned(), ItemValue { value, group: group.cloned(), differs })
    });
    ArmItems { values: averaged.collect() }
}

/// The items on both sides: their difference and their cluster.
pub(super) fn differences<'a>(
    before: &'a ArmItems,
    after: &'a ArmItems,
) -> Vec<(&'a str, Option<&'a str>, f64)> {
    let both = before.values.iter().filter_map(|(id, old)| Some((id, old, after.values.get(id)?)));
    both.map(|(id, old, new)| (id.as_str(), old.group.as_deref(), new.value - old.value)).collect()
}

/// Sums differences into clusters: the groups, and each item without a group by itself.
pub(super) fn clusters<'a>(
    differences: impl IntoIterator<Item = (&'a str, Option<&'a str>, f64)>,
) -> Vec<Cluster> {
    let mut clusters: BTreeMap<(bool, &str), Cluster> = BTreeMap::new();
    for (id, group, difference) in differences {
        let key = group.map_or((false, id), |group| (true, group));
        let cluster = clusters.entry(key).or_insert(Cluster { sum: 0.0, items: 0 });
        cluster.sum += difference;
        cluster.items += 1;
    }
    clusters.into_values().collect()
}
