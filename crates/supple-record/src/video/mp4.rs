//! MP4: H.264 by Cisco's OpenH264, which plays in browsers.

use std::path::{Path, PathBuf};

use muxide::api::{Muxer, MuxerBuilder, VideoCodec};
use openh264::encoder::{
    Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, RateControlMode, VuiConfig,
};
use openh264::formats::YUVSlices;
use openh264::{OpenH264API, Timestamp};

use super::Sink;
use crate::{Draft, Image, RecordError};

/// Seconds from one frame that can be jumped to, to the next.
const JUMP: f64 = 2.0;
/// Fewest pixels of a side.
const SMALLEST: u32 = 16;
/// Most pixels of the longer and the shorter side, as the format's level 5.2 has them.
const LARGEST: [u32; 2] = [3840, 2160];

/// Encodes frames as they come.
pub(crate) struct Mp4 {
    path: PathBuf,
    encoder: Encoder,
    muxer: Muxer<Draft>,
    size: [u32; 2],
    fps: f64,
    planes: [Vec<u8>; 3],
    packet: Vec<u8>,
    count: u64,
}

impl Mp4 {
    pub(crate) fn create(path: &Path, size: [u32; 2], fps: f64) -> Result<Self, RecordError> {
        let [width, height] = size;
        let (longer, shorter) = (width.max(height), width.min(height));
        let even = width.is_multiple_of(2) && height.is_multiple_of(2);
        if !even || shorter < SMALLEST || longer > LARGEST[0] || shorter > LARGEST[1] {
            let wanted = "even numbers from 16x16 to 3840x2160 (or upright), such as 960x720";
            return Err(RecordError::Size { kind: "an .mp4", width, height, wanted });
        }
        let wrong = |reason: String| RecordError::Encode { path: path.to_owned(), frame: 0, reason };
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(fps as f32))
            // the same quality for all frames, however many bits that takes
            .rate_control_mode(RateControlMode::Off)
            .adaptive_quantization(false)
            .background_detection(false)
            .skip_frames(false)
            // one thread, so that the same frames make the same file
            .num_threads(1)
            .intra_frame_period(IntraFramePeriod::from_num_frames((JUMP * fps).ceil().max(1.0) as u32))
            .vui(VuiConfig::bt709());
        let api = OpenH264API::from_source();
        let encoder = Encoder::with_api_config(api, config).map_err(|e| wrong(e.to_string()))?;
        let file = Draft::create(path).map_err(|error| RecordError::write(path, error))?;
        let muxer = MuxerBuilder::new(file).video(VideoCodec::H264, width, height, fps).with_fast_start(true);
        let muxer = muxer.build().map_err(|e| wrong(e.to_string()))?;
        let pixels = (width * height) as usize;
        let planes = [vec![0; pixels], vec![0; pixels / 4], vec![0; pixels / 4]];
        Ok(Self { path: path.to_owned(), encoder, muxer, size, fps, planes, packet: Vec::new(), count: 0 })
    }

    fn wrong(&self, reason: String) -> RecordError {
        RecordError::Encode { path: self.path.clone(), frame: self.count, reason }
    }
}

impl Sink for Mp4 {
    fn frame(&mut self, image: &Image) -> Result<(), RecordError> {
        let [width, height] = self.size.map(|n| n as usize);
        to_yuv(image, &mut self.planes);
        let [y, u, v] = &self.planes;
        let frame = YUVSlices::new((y, u, v), (width, height), (width, width / 2, width / 2));
        let time = self.count as f64 / self.fps;
        let stamp = Timestamp::from_millis((1000.0 * time).round() as u64);
        self.packet.clear();
        let kind = match self.encoder.encode_at(&frame, stamp) {
            Ok(packet) => {
                packet.write_vec(&mut self.packet);
                packet.frame_type()
            }
            Err(error) => return Err(self.wrong(error.to_string())),
        };
        let key = matches!(kind, FrameType::IDR | FrameType::I);
        self.muxer.write_video(time, &self.packet, key).map_err(|error| self.wrong(error.to_string()))?;
        self.count += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64, RecordError> {
        self.muxer.finish_in_place().map_err(|error| self.wrong(error.to_string()))?;
        let file = self.muxer.into_writer();
        file.finish().map_err(|error| RecordError::write(&self.path, error))?;
        Ok(self.count)
    }
}

/// Brightness of every pixel, and two differences of colours of every 2 × 2 (BT.709, from 16 to 235 or 240).
fn to_yuv(image: &Image, [ys, us, vs]: &mut [Vec<u8>; 3]) {
    let [width, height] = image.size.map(|n| n as usize);
    let rgb = |x: usize, y: usize| {
        let first = 3 * (y * width + x);
        [0, 1, 2].map(|i| f32::from(image.pixels[first + i]))
    };
    let luma = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    for y in 0..height {
        for x in 0..width {
            ys[y * width + x] = (16.5 + luma(rgb(x, y)) * (219.0 / 255.0)) as u8;
        }
    }
    for y in 0..height / 2 {
        for x in 0..width / 2 {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| rgb(2 * x + i, 2 * y + j));
            let mean = [0, 1, 2].map(|i| four.iter().map(|p| p[i]).sum::<f32>() / 4.0);
            let bright = luma(mean);
            let at = y * (width / 2) + x;
            us[at] = (128.5 + (mean[2] - bright) / 1.8556 * (224.0 / 255.0)) as u8;
            vs[at] = (128.5 + (mean[0] - bright) / 1.5748 * (224.0 / 255.0)) as u8;
        }
    }
}
