//! loom's paths, so that its tests run unchanged: membar explores all executions of a model by itself.

/// Calls the function once; membar explores its executions.
#[inline]
pub fn model<F: Fn() + Sync + Send + 'static>(function: F) {
    function();
}

pub mod model {
    /// Limits of loom's search, which mean nothing here.
    #[derive(Debug, Clone, Default)]
    pub struct Builder {
        pub max_threads: usize,
        pub max_branches: usize,
        pub max_permutations: Option<usize>,
        pub max_duration: Option<std::time::Duration>,
        pub preemption_bound: Option<usize>,
        pub checkpoint_file: Option<std::path::PathBuf>,
        pub checkpoint_interval: usize,
        pub location: bool,
        pub log: bool,
    }
    impl Builder {
        #[inline]
        pub fn new() -> Builder {
            Builder::default()
        }
        #[inline]
        pub fn check<F: Fn() + Sync + Send + 'static>(&self, function: F) {
            function();
        }
    }
}

pub mod thread {
    pub use std::thread::*;
}

pub mod hint {
    pub use std::hint::*;
}

pub mod sync {
    pub use std::sync::*;
    pub mod atomic {
        pub use std::sync::atomic::*;
        /// In loom a point at which other threads may run.
        #[inline]
        pub fn spin_loop_hint() {}
    }
    use std::primitives::{self, Word};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A token as that of `park`: waits may end spuriously, in loom only once, which orders nothing.
    #[derive(Debug, Default)]
    pub struct Notify {
        token: Word,
        waiting: AtomicBool,
    }

    impl Notify {
        #[inline]
        pub fn new() -> Notify {
            Notify::default()
        }
        /// A release.
        #[inline]
        pub fn notify(&self) {
            self.token.swap(1, Ordering::Release);
        }
        /// Takes the token, an acquire.
        #[inline]
        pub fn wait(&self) {
            let others = self.waiting.swap(true, Ordering::Relaxed);
            assert!(!others, "only a single thread may wait on `Notify`");
            if !primitives::wakes() {
                let found = primitives::add_within(&self.token, 1, 1, u32::MAX);
                primitives::wait(found == 1);
            }
            self.waiting.store(false, Ordering::Relaxed);
        }
    }
}

pub mod alloc {
    pub use std::alloc::{alloc, alloc_zeroed, dealloc, Layout};

    /// A value whose leaks loom reports; membar reports those of memory.
    #[derive(Debug)]
    pub struct Track<T>(T);

    impl<T> Track<T> {
        #[inline]
        pub fn new(value: T) -> Track<T> {
            Track(value)
        }
        #[inline]
        pub fn get_ref(&self) -> &T {
            &self.0
        }
        #[inline]
        pub fn get_mut(&mut self) -> &mut T {
            &mut self.0
        }
        #[inline]
        pub fn into_inner(self) -> T {
            self.0
        }
    }
}

pub mod cell {
    pub use std::cell::Cell;

    /// loom's cell, whose accesses are plain ones: membar finds their races.
    #[derive(Debug, Default)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        #[inline]
        pub const fn new(data: T) -> UnsafeCell<T> {
            UnsafeCell(std::cell::UnsafeCell::new(data))
        }
        #[inline]
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }
    impl<T: ?Sized> UnsafeCell<T> {
        #[inline]
        pub fn with<R>(&self, function: impl FnOnce(*const T) -> R) -> R {
            function(self.0.get())
        }
        #[inline]
        pub fn with_mut<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
            function(self.0.get())
        }
        #[inline]
        pub fn get(&self) -> ConstPtr<T> {
            ConstPtr(self.0.get())
        }
        #[inline]
        pub fn get_mut(&self) -> MutPtr<T> {
            MutPtr(self.0.get())
        }
    }

    /// See `loom::cell::ConstPtr`.
    #[derive(Debug)]
    pub struct ConstPtr<T: ?Sized>(*const T);
    /// See `loom::cell::MutPtr`.
    #[derive(Debug)]
    pub struct MutPtr<T: ?Sized>(*mut T);

    impl<T: ?Sized> ConstPtr<T> {
        /// # Safety
        /// As for a pointer.
        #[inline]
        pub unsafe fn deref(&self) -> &T {
            &*self.0
        }
        #[inline]
        pub fn with<R>(&self, function: impl FnOnce(*const T) -> R) -> R {
            function(self.0)
        }
    }
    impl<T: ?Sized> MutPtr<T> {
        /// # Safety
        /// As for a pointer.
        #[inline]
        #[allow(clippy::mut_from_ref)]
        pub unsafe fn deref(&self) -> &mut T {
            &mut *self.0
        }
        #[inline]
        pub fn with<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
            function(self.0)
        }
    }
}

pub use std::thread_local;

/// As in loom; membar has its own limit.
pub const MAX_THREADS: usize = 5;

#[inline]
pub fn explore() {}
#[inline]
pub fn stop_exploring() {}
#[inline]
pub fn skip_branch() {}
