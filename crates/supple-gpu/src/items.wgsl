// Draws items: each pixel gets the id of the nearest.

struct Instance {
    // rows that take a corner to clip space
    @location(1) x: vec4f,
    @location(2) y: vec4f,
    @location(3) z: vec4f,
    @location(4) w: vec4f,
    @location(5) id: u32,
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) id: u32,
}

@vertex
fn corner(@location(0) at: vec3f, item: Instance) -> Corner {
    let p = vec4f(at, 1.0);
    return Corner(vec4f(dot(item.x, p), dot(item.y, p), dot(item.z, p), dot(item.w, p)), item.id);
}

@fragment
fn pixel(@location(0) @interpolate(flat) id: u32) -> @location(0) u32 {
    return id;
}
