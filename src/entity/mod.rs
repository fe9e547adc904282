//! Typed ids and the arenas they index.
//!
//! An id is a 32-bit index that knows which arena it belongs to, so that a value id can't be used where a local id
//! is meant. `Option<Id>` takes no more room than the id. Arenas only grow; nothing is ever removed, so an id stays
//! good for as long as its arena lives.

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an [`Arena`] of one kind of thing.
pub trait EntityId: Copy + Eq + Debug {
    /// The id of the `index`-th thing.
    ///
    /// # Panics
    /// Panics past 2³² − 2 things: no kernel that fits a machine comes near.
    fn from_index(index: usize) -> Self;

    /// The position in the arena.
    fn index(self) -> usize;
}

/// Defines an id type; `Display` prints the prefix and the index, as in the text form.
#[macro_export]
macro_rules! typed_id {
    ($(#[$meta:meta])* $vis:vis $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name(::std::num::NonZeroU32);

        impl $crate::entity::EntityId for $name {
            fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index + 1).ok().and_then(::std::num::NonZeroU32::new);
                Self(raw.expect("an arena holds fewer than 2^32 - 1 things"))
            }

            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), $crate::entity::EntityId::index(*self))
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A growing table of `T`, indexed by `I`.
#[derive(Clone, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<fn() -> I>,
}

impl<I: EntityId, T> Arena<I, T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }

    /// Adds a thing and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    /// The id that the next [`push`](Self::push) returns.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The thing, or `None` for an id of another arena that is out of range here.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Whether the id is in range.
    pub fn contains(&self, id: I) -> bool {
        id.index() < self.items.len()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All things with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// All things in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All things in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
}

impl<I: EntityId, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: EntityId, T> Index<I> for Arena<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: EntityId, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: EntityId, T: Debug> Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: EntityId, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), id: PhantomData }
    }
}

/// Facts about the things of an [`Arena`], kept beside it; a thing not yet spoken of has the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondaryMap<I, T> {
    items: Vec<T>,
    default: T,
    id: PhantomData<fn() -> I>,
}

impl<I: EntityId, T: Clone> SecondaryMap<I, T> {
    /// A map in which every id has `default`.
    pub const fn with_default(default: T) -> Self {
        Self { items: Vec::new(), default, id: PhantomData }
    }

    /// The same, with room for `len` things made at once.
    pub fn with_len(default: T, len: usize) -> Self {
        Self { items: vec![default.clone(); len], default, id: PhantomData }
    }
}

impl<I: EntityId, T: Clone + Default> Default for SecondaryMap<I, T> {
    fn default() -> Self {
        Self::with_default(T::default())
    }
}

impl<I: EntityId, T: Clone> Index<I> for SecondaryMap<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

impl<I: EntityId, T: Clone> IndexMut<I> for SecondaryMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        if id.index() >= self.items.len() {
            self.items.resize(id.index() + 1, self.default.clone());
        }
        &mut self.items[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    typed_id! {
        /// An id for this test.
        TestId, "t"
    }

    #[test]
    fn an_optional_id_is_as_small_as_an_id() {
        assert_eq!(size_of::<Option<TestId>>(), 4);
    }

    #[test]
    fn ids_print_with_their_prefix_and_index_the_arena() {
        let mut arena: Arena<TestId, &str> = Arena::new();
        let (a, b) = (arena.push("a"), arena.push("b"));
        assert_eq!((arena[a], arena[b]), ("a", "b"));
        assert_eq!(b.to_string(), "t1");
        assert_eq!(arena.ids().collect::<Vec<_>>(), [a, b]);
    }

    #[test]
    fn a_secondary_map_answers_for_ids_it_never_saw() {
        let mut map: SecondaryMap<TestId, u8> = SecondaryMap::default();
        map[TestId::from_index(3)] = 7;
        assert_eq!((map[TestId::from_index(3)], map[TestId::from_index(9)]), (7, 0));
    }
}
