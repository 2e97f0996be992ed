//! A worker of the parallel exploration: takes tasks, shares its oldest frame, reports progress.

use crate::stateless::explore::Explorer;
use crate::stateless::graph::Graph;
use crate::stateless::remaining_work::Frame;
use crate::stateless::thread_tree::SegmentId;
use crate::stateless::work_queue::{Call, Order, Presence, SharedWork, Task, WorkQueue};
use membar_ir::error::Failure;
use membar_ir::limits::Stopped;
use membar_ir::words::narrow;

/// What a worker knows of the others, and of its task.
#[derive(Debug)]
pub(super) struct Share<'a> {
    /// None: there is only one worker.
    work_queue: Option<&'a WorkQueue>,
    /// The news that were heard.
    heard: u64,
    order: Order,
    /// What was given away of the task: how often, and what part of the whole.
    gifts: u32,
    given: f64,
    weight: f64,
    /// Whether the task began with a graph of a revisit.
    has_landed: bool,
    /// What the meter knows: executions, blocked ones, bytes, and what part of the task is done.
    reported: (u64, u64, u64, f64),
}

impl<'a> Share<'a> {
    /// Of a worker that has no task yet, or of the only one.
    pub(super) fn new(work_queue: Option<&'a WorkQueue>) -> Self {
        Self {
            work_queue,
            heard: 0,
            order: Order::new(),
            gifts: 0,
            given: 0.0,
            weight: 1.0,
            has_landed: false,
            reported: (0, 0, 0, 0.0),
        }
    }
}

impl Explorer<'_> {
    /// Does tasks until none is left.
    pub(super) fn work(&mut self, work_queue: &WorkQueue) -> Result<(), Failure> {
        let _presence = Presence(work_queue);
        while let Some(task) = work_queue.take(&mut self.watch) {
            let result = self.do_task(task);
            self.finish_task();
            if let Err(failure) = result {
                work_queue.stop(match &failure {
                    Failure::Stopped(stopped) => *stopped,
                    Failure::Error(_) => Stopped::Request,
                });
                return Err(failure);
            }
            work_queue.done();
        }
        Ok(())
    }

    fn do_task(&mut self, task: Task) -> Result<(), Failure> {
        let Task { order, weight, rest } = task;
        self.record.begin(order.clone());
        let reported = (self.share.reported.0, self.share.reported.1, self.share.reported.2, 0.0);
        let (gifts, given, has_landed) = (0, 0.0, rest.as_ref().is_some_and(|rest| rest.frame.is_landing()));
        self.share = Share { order, gifts, given, weight, has_landed, reported, ..self.share };
        match rest {
            None => self.run(),
            Some(rest) => {
                let frame = rest.frame;
                self.graphs[0] = self.unpack(rest)?;
                self.bounds[0].items = 0;
                self.depth = 0;
                self.frames.clear();
                self.frames.push(frame);
                self.go_on(false)
            }
        }
    }

    /// The graph of a task, its threads where they were.
    fn unpack(&mut self, rest: SharedWork) -> Result<Graph, Failure> {
        let SharedWork { mut graph, paths, .. } = rest;
        let mut nodes = Vec::with_capacity(paths.len());
        for path in &paths {
            nodes.push(Some(self.thread_tree.follow(path)?));
        }
        graph.move_nodes(&nodes);
        Ok(graph)
    }

    /// Whether another worker wants something.
    pub(super) fn is_called(&self) -> bool {
        self.share
            .work_queue
            .is_some_and(|work_queue| work_queue.wants() || work_queue.news() != self.share.heard)
    }

    /// Serves other workers; false if the present task is no longer needed.
    pub(super) fn share_work(&mut self) -> Result<bool, Failure> {
        let Some(work_queue) = self.share.work_queue else { return Ok(true) };
        let news = work_queue.news();
        if news != self.share.heard {
            self.share.heard = news;
            match work_queue.call(&self.share.order) {
                Call::GoOn => {}
                Call::Drop => return Ok(false),
                Call::Stop(stopped) => return Err(stopped.into()),
            }
        }
        if work_queue.wants()
            && let Some(task) = self.share_oldest_frame()
        {
            work_queue.give(task);
        }
        Ok(true)
    }

    /// What is left of the oldest frame that has something left; here it is left no more.
    fn share_oldest_frame(&mut self) -> Option<Task> {
        let mut depth = 0;
        let mut weight = self.share.weight;
        let mut found = None;
        for (at, frame) in self.frames.iter().enumerate() {
            depth += usize::from(frame.is_landing() && !(at == 0 && self.share.has_landed));
            if frame.has_rest(&self.graphs[depth]) {
                found = Some((at, depth, weight * frame.remaining_share()));
                break;
            }
            weight *= frame.shares().1;
        }
        let (at, depth, weight) = found?;
        let frame = self.frames[at];
        self.frames[at] = frame.without_rest();
        let mut order = self.share.order.clone();
        order.push(u32::MAX - self.share.gifts);
        self.share.gifts += 1;
        self.share.given += weight;
        let rest = self.pack(frame, depth);
        Some(Task { order, weight, rest: Some(rest) })
    }

    fn pack(&self, frame: Frame, depth: usize) -> SharedWork {
        let mut graph = self.graphs[depth].clone();
        graph.truncate(frame.len, &self.thread_tree);
        let mut nodes: Vec<SegmentId> = graph.nodes().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let last = nodes.last().map_or(0, |node| node.index());
        let mut moved = vec![None; last + 1];
        for (new, node) in nodes.iter().enumerate() {
            moved[node.index()] = Some(SegmentId(narrow(new)));
        }
        graph.move_nodes(&moved);
        let paths = nodes.iter().map(|&node| self.thread_tree.path(node)).collect();
        SharedWork { frame, graph, paths }
    }

    /// A failure was found, and nothing later is asked for.
    pub(super) fn fail(&mut self) -> Result<(), Failure> {
        match self.share.work_queue {
            None => Err(Stopped::Found.into()),
            Some(work_queue) => {
                work_queue.failed(&self.share.order);
                self.frames.clear();
                Ok(())
            }
        }
    }

    /// Tells the meter how far it is.
    pub(super) fn report_progress(&mut self) {
        let mut part = self.share.weight;
        let mut done = 0.0;
        for frame in &self.frames {
            let (before, now) = frame.shares();
            done += part * before;
            part *= now;
        }
        self.report_done(done - self.share.given);
    }

    fn finish_task(&mut self) {
        self.report_done(self.share.weight - self.share.given);
    }

    fn report_done(&mut self, done: f64) {
        let findings = &self.record.findings;
        let now = (findings.explored, findings.blocked, findings.bytes as u64, done);
        let (meter, reported) = (self.watch.meter(), self.share.reported);
        meter.count(now.0 - reported.0, now.1 - reported.1, now.2 - reported.2);
        meter.advance(now.3 - reported.3);
        self.share.reported = now;
    }
}
