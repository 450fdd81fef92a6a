use super::{Camera, Mesh, RasterError};
use crate::spatial::Pose;

/// The id of pixels that show nothing.
pub const NOTHING: u32 = u32::MAX;

/// Something to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its surface.
    pub mesh: &'a Mesh,
    /// Where the mesh is: `world_from_mesh`.
    pub pose: Pose,
    /// By which its pixels are counted; several items may have the same, none [`NOTHING`].
    pub id: u32,
}

/// What draws items and counts the pixels that are seen of each: [`super::ItemBuffer`], or a graphics processor.
pub trait Raster: Send {
    /// Draws `items` and counts the pixels that show each id below `ids` into `counts`, which becomes so long. Items with greater ids hide
    /// others but are not counted.
    fn count(
        &mut self,
        camera: &Camera,
        items: &[Item<'_>],
        ids: usize,
        counts: &mut Vec<u32>,
    ) -> Result<(), RasterError>;

    /// Pixels of the last image from left to right and from top to bottom.
    fn size(&self) -> [u32; 2];

    /// The ids of the last image, row after row from the top; [`NOTHING`] where there is none.
    fn ids(&mut self) -> Result<&[u32], RasterError>;
}

/// Whether all can be drawn.
pub fn check(camera: &Camera, items: &[Item<'_>]) -> Result<(), RasterError> {
    camera.check()?;
    for (item, i) in items.iter().enumerate() {
        if !i.pose.is_finite() {
            return Err(RasterError::Pose { item, id: i.id });
        }
        if i.id == NOTHING {
            return Err(RasterError::Id { item });
        }
    }
    Ok(())
}
