//! Finds the members of a tree in the process table.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

use super::table;

/// One process of the table, as far as belonging to a tree is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Whether it has ended and only waits to be collected.
    pub(super) ended: bool,
}

/// One process of a tree. With its start time, its pid names it for good, as pids are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) process: Process,
    pub(super) start: u64,
}

/// What is known of a tree.
#[derive(Debug)]
pub(super) struct Known {
    leader: i32,
    /// The leader's start time; `None` where it could not be read.
    start: Option<u64>,
    mark: OsString,
    /// Members at the last look: pid and start time.
    members: HashMap<i32, u64>,
    /// Processes that were asked for the mark and do not have it. None comes to have it later.
    strangers: HashMap<i32, u64>,
}

/// What is asked of one process.
trait Ask {
    fn start(&self, pid: i32) -> Option<u64>;
    /// `None` where it cannot be told, perhaps not yet.
    fn has_mark(&self, pid: i32) -> Option<bool>;
}

/// Asks the system.
struct System(OsString);

impl Ask for System {
    fn start(&self, pid: i32) -> Option<u64> {
        table::start(pid)
    }

    fn has_mark(&self, pid: i32) -> Option<bool> {
        table::has_mark(pid, &self.0)
    }
}

impl Known {
    pub(super) fn new(leader: i32, start: Option<u64>, mark: OsString) -> Known {
        let members = start.map(|start| (leader, start)).into_iter().collect();
        Known { leader, start, mark, members, strangers: HashMap::new() }
    }

    /// The members in this table, ended ones that wait to be collected included.
    pub(super) fn look(&mut self, table: &[Process]) -> Vec<Member> {
        let system = System(self.mark.clone());
        self.find(table, &adopters(table), &system)
    }

    fn find(&mut self, table: &[Process], adopters: &HashSet<i32>, ask: &dyn Ask) -> Vec<Member> {
        let start = |process: &Process| match ask.start(process.pid) {
            // Where nothing can be read, the leader is taken at its word.
            None if process.pid == self.leader => Some(self.start.unwrap_or_default()),
            start => start,
        };
        let leader = table.iter().find(|process| process.pid == self.leader);
        // The leader's pid belongs to a stranger now: then nothing of its session is left, and the number means nothing.
        let reused = leader.and_then(start).zip(self.start).is_some_and(|(now, first)| now != first);
        let mut strangers = HashMap::new();
        let mut members: HashMap<i32, Member> = HashMap::new();
        // The table is not of one moment. Who was there when it was read may be gone when it is asked, and its children,
        // which were read with it as their parent, are orphans by now.
        let lives: HashSet<i32> = table.iter().filter(|process| !process.ended).map(|process| process.pid).collect();
        let mut unsure: HashSet<i32> = HashSet::new();
        loop {
            let before = unsure.len();
            for process in table {
                if members.contains_key(&process.pid) || unsure.contains(&process.pid) {
                    continue;
                }
                let of_session = !reused && (process.session == self.leader || process.group == self.leader);
                let seen = self.members.get(&process.pid);
                let parent = &process.parent;
                let orphan = adopters.contains(parent) || !lives.contains(parent) || unsure.contains(parent);
                if !of_session && seen.is_none() && !orphan {
                    continue;
                }
                let Some(start) = start(process) else {
                    unsure.insert(process.pid);
                    continue;
                };
                let marked = || match self.strangers.get(&process.pid) {
                    Some(known) if *known == start => Some(false),
                    // What is older than the tree is none of it.
                    _ if self.start.is_some_and(|first| start < first) => Some(false),
                    _ => ask.has_mark(process.pid),
                };
                if of_session || seen == Some(&start) {
                    members.insert(process.pid, Member { process: *process, start });
                } else if orphan && strangers.get(&process.pid) != Some(&start) {
                    match marked() {
                        Some(true) => _ = members.insert(process.pid, Member { process: *process, start }),
                        Some(false) => _ = strangers.insert(process.pid, start),
                        None => _ = unsure.insert(process.pid),
                    }
                }
            }
            if unsure.len() == before {
                break;
            }
        }
        loop {
            let child_of =
                |process: &&Process| members.get(&process.parent).is_some_and(|parent| !parent.process.ended);
            let children = table.iter().filter(|process| !members.contains_key(&process.pid)).filter(child_of);
            let found: Vec<Member> =
                children.filter_map(|process| Some(Member { process: *process, start: start(process)? })).collect();
            if found.is_empty() {
                break;
            }
            members.extend(found.into_iter().map(|member| (member.process.pid, member)));
        }
        self.strangers = strangers;
        let alive = members.values().filter(|member| !member.process.ended);
        self.members = alive.map(|member| (member.process.pid, member.start)).collect();
        members.into_values().collect()
    }
}

/// Whom an orphan of a tree can come to: this process, those it descends from, and the first of the system.
///
/// Only their children are asked for the mark: to be asked, a process has to give way (see the table of Linux), and who
/// cannot be an orphan of the tree has no say in how long a Stop takes.
pub(super) fn adopters(table: &[Process]) -> HashSet<i32> {
    let own = i32::try_from(std::process::id()).unwrap_or(1);
    let mut adopters = above(table, own);
    adopters.insert(1);
    adopters
}

/// This process and those it descends from.
fn above(table: &[Process], own: i32) -> HashSet<i32> {
    let mut adopters = HashSet::new();
    let mut next = Some(own);
    while let Some(pid) = next.filter(|pid| adopters.insert(*pid)) {
        next = table.iter().find(|process| process.pid == pid).map(|process| process.parent);
    }
    adopters
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const OWN: i32 = 50;
    const LEADER: i32 = 100;

    /// A process and its start time.
    fn process(pid: i32, parent: i32, session: i32, start: u64) -> (Process, u64) {
        (Process { pid, parent, group: session, session, ended: false }, start)
    }

    /// A system that notes who was asked for the mark.
    struct Played<'a> {
        table: &'a [(Process, u64)],
        marked: Option<&'a [i32]>,
        asked: RefCell<Vec<i32>>,
    }

    impl Ask for Played<'_> {
        fn start(&self, pid: i32) -> Option<u64> {
            self.table.iter().find(|(process, _)| process.pid == pid).map(|(_, start)| *start)
        }

        fn has_mark(&self, pid: i32) -> Option<bool> {
            self.asked.borrow_mut().push(pid);
            Some(self.marked?.contains(&pid))
        }
    }

    fn known() -> Known {
        Known::new(LEADER, Some(1000), "mark".into())
    }

    /// The pids of the members, where these processes have the mark (or nobody can tell), and those asked for it.
    fn look(known: &mut Known, table: &[(Process, u64)], marked: Option<&[i32]>) -> (Vec<i32>, Vec<i32>) {
        let system = Played { table, marked, asked: RefCell::default() };
        let processes: Vec<Process> = table.iter().map(|(process, _)| *process).collect();
        let mut found: Vec<i32> =
            known.find(&processes, &above(&processes, OWN), &system).iter().map(|member| member.process.pid).collect();
        found.sort_unstable();
        (found, system.asked.into_inner())
    }

    fn find(known: &mut Known, table: &[(Process, u64)], marked: &[i32]) -> (Vec<i32>, Vec<i32>) {
        look(known, table, Some(marked))
    }

    /// A first process, one that adopts (40), this one (50) below it, and a machine at work beside it.
    fn machine() -> Vec<(Process, u64)> {
        vec![
            process(1, 0, 1, 1),
            process(40, 1, 40, 10),
            process(50, 40, 40, 20),
            process(60, 1, 60, 30),
            process(61, 60, 60, 2000),
            process(62, 61, 62, 2001),
        ]
    }

    #[test]
    fn a_session_and_the_descendants_of_any_member_belong_to_the_tree() {
        let mut table = machine();
        table.extend([
            process(100, 50, 100, 1000),
            process(101, 100, 100, 1001),
            process(102, 101, 102, 1002),
            process(103, 102, 102, 1003),
        ]);
        assert_eq!(find(&mut known(), &table, &[]), (vec![100, 101, 102, 103], vec![]));
    }

    #[test]
    fn an_orphan_with_the_mark_belongs_to_the_tree_whoever_adopted_it_and_so_do_its_children() {
        for adopter in [1, 40, 50] {
            let mut table = machine();
            table.extend([process(100, 50, 100, 1000), process(110, adopter, 110, 1010), process(111, 110, 111, 1011)]);
            assert_eq!(find(&mut known(), &table, &[110]), (vec![100, 110, 111], vec![110]), "{adopter}");
        }
    }

    #[test]
    fn nobody_is_asked_for_the_mark_who_cannot_be_an_orphan_of_the_tree() {
        // Neither what is older than the tree, nor the children of strangers.
        assert_eq!(find(&mut known(), &machine(), &[60, 61, 62]), (vec![], vec![]));
    }

    #[test]
    fn a_stranger_is_asked_once_and_another_process_of_its_pid_again() {
        let mut table = machine();
        table.push(process(70, 1, 70, 1500));
        let mut known = known();
        assert_eq!(find(&mut known, &table, &[]), (vec![], vec![70]));
        assert_eq!(find(&mut known, &table, &[]), (vec![], vec![]));
        table.pop();
        table.push(process(70, 1, 70, 1600));
        assert_eq!(find(&mut known, &table, &[70]), (vec![70], vec![70]));
    }

    #[test]
    fn one_that_is_just_being_started_is_asked_again() {
        let mut table = machine();
        table.push(process(70, 1, 70, 1500));
        let mut known = known();
        assert_eq!(look(&mut known, &table, None), (vec![], vec![70]));
        assert_eq!(find(&mut known, &table, &[70]), (vec![70], vec![70]));
    }

    #[test]
    fn the_child_of_one_that_went_while_it_was_looked_at_is_asked_itself() {
        let marked = &[111, 112];
        // The one between is in the table no more; or has ended; or is there and can no longer be asked.
        for between in [None, Some(true), Some(false)] {
            let mut table = machine();
            table.extend([process(111, 110, 111, 1011), process(112, 111, 112, 1012)]);
            if let Some(ended) = between {
                let (mut one, start) = process(110, 1, 110, 1010);
                one.ended = ended;
                table.push((one, start));
            }
            let gone = Gone(Played { table: &table, marked: Some(marked), asked: RefCell::default() });
            let processes: Vec<Process> = table.iter().map(|(process, _)| *process).collect();
            let mut found: Vec<i32> =
                known().find(&processes, &above(&processes, OWN), &gone).iter().map(|one| one.process.pid).collect();
            found.sort_unstable();
            assert_eq!(found, [111, 112], "{between:?}");
        }
    }

    /// A system in which the process 110 has just gone.
    struct Gone<'a>(Played<'a>);

    impl Ask for Gone<'_> {
        fn start(&self, pid: i32) -> Option<u64> {
            self.0.start(pid).filter(|_| pid != 110)
        }

        fn has_mark(&self, pid: i32) -> Option<bool> {
            self.0.has_mark(pid)
        }
    }

    #[test]
    fn a_member_once_seen_stays_one_and_a_pid_that_is_used_again_is_none() {
        let mut table = machine();
        table.extend([process(100, 50, 100, 1000), process(102, 100, 102, 1002)]);
        let mut known = known();
        assert_eq!(find(&mut known, &table, &[]).0, [100, 102]);
        let mut table = machine();
        table.push(process(102, 1, 102, 1002));
        assert_eq!(find(&mut known, &table, &[]).0, [102]);
        let mut table = machine();
        table.extend([process(102, 60, 102, 3000), process(100, 60, 100, 3000), process(104, 100, 100, 3001)]);
        assert_eq!(find(&mut known, &table, &[]).0, [0; 0]);
    }
}
