//! One block of the response between two ports, on demand: for effective masses where not all blocks are wanted.
//!
//! Both ends climb to their common ancestor a, each with the map A from the motion of the node where it is to the velocity
//! of its port: `Λᵢⱼ = Aᵢ Λ_a Aⱼᵀ`. Where one climbs past a joint that the other one pushes, that joint also answers directly.

use crate::spatial::mat6::{IDENTITY, Mat6, Vec6, ZERO, transposed};

use super::port_segment::{dot, product};
use super::port_tree::{Place, PortTree};

/// A port on the way up.
struct End {
    node: u32,
    /// A.
    map: Mat6,
}

impl PortTree {
    /// Λᵢⱼ, as in [`super::response_blocks::ResponseBlocks::block`]: a product for every node between the two.
    pub fn block(&self, i: usize, j: usize) -> Mat6 {
        let (place_i, place_j) = (self.places[i], self.places[j]);
        if place_i == place_j && place_i.rate.is_none() {
            return self.nodes[place_i.node as usize].lambda;
        }
        let (mut a, mut b) = (self.end(place_i), self.end(place_j));
        let mut direct = ZERO;
        if let (Some(rate), Some(other)) = (place_i.rate, place_j.rate)
            && place_i.node == place_j.node
        {
            let first = self.nodes[place_i.node as usize].rates().start;
            direct[0][0] = self.rates[rate as usize].c[other as usize - first];
        }
        // parents have smaller numbers: the larger of both is never the common ancestor
        while a.node != b.node {
            if a.node > b.node {
                for (k, x) in self.answer(&a, place_j).into_iter().enumerate() {
                    direct[k][0] += x;
                }
                a = self.climb(&a);
            } else {
                for (k, x) in self.answer(&b, place_i).into_iter().enumerate() {
                    direct[0][k] += x;
                }
                b = self.climb(&b);
            }
        }
        let (mut carried, mut block) = (ZERO, ZERO);
        product(&self.nodes[a.node as usize].lambda, &transposed(&b.map), &mut carried);
        product(&a.map, &carried, &mut block);
        for (row, direct) in block.iter_mut().flatten().zip(direct.iter().flatten()) {
            *row += direct;
        }
        block
    }

    /// What an impulse on the joint right above an end does to its port, if that is where the other port is.
    fn answer(&self, end: &End, other: Place) -> Vec6 {
        match other.rate {
            Some(rate) if other.node == end.node => {
                end.map.map(|row| dot(&row, &self.rates[rate as usize].h))
            }
            _ => [0.0; 6],
        }
    }

    fn climb(&self, end: &End) -> End {
        let node = &self.nodes[end.node as usize];
        let mut map = ZERO;
        product(&end.map, &node.p, &mut map);
        End { node: node.parent, map }
    }

    /// A port where its way begins: at its link, or above its joint.
    fn end(&self, place: Place) -> End {
        match place.rate {
            None => End { node: place.node, map: IDENTITY },
            Some(rate) => {
                let mut map = ZERO;
                map[0] = self.rates[rate as usize].g;
                End { node: self.nodes[place.node as usize].parent, map }
            }
        }
    }
}
