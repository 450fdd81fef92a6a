// Counts the pixels of each id. A thread walks along a piece of a row and adds what is the same at once: neighbours mostly are.

const PIECE: u32 = 32;

@group(0) @binding(0) var image: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;

fn add(id: u32, count: u32) {
    // NOTHING is beyond, too
    if id < arrayLength(&counts) {
        atomicAdd(&counts[id], count);
    }
}

@compute @workgroup_size(8, 8)
fn tally(@builtin(global_invocation_id) at: vec3u) {
    let size = textureDimensions(image);
    let first = at.x * PIECE;
    if at.y >= size.y || first >= size.x {
        return;
    }
    var id = textureLoad(image, vec2u(first, at.y), 0).x;
    var count = 0u;
    for (var x = first; x < min(first + PIECE, size.x); x++) {
        let here = textureLoad(image, vec2u(x, at.y), 0).x;
        if here != id {
            add(id, count);
            id = here;
            count = 0u;
        }
        count++;
    }
    add(id, count);
}
