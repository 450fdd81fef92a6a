//! Videos are read back by decoders.

use std::fs::File;

use supple_record::{Image, RecordError, create};

type Failed = Box<dyn std::error::Error>;

const SIZE: [u32; 2] = [96, 64];

/// A bright square that moves over a gradient.
fn frame(number: u32) -> Image {
    let mut image = Image::new(SIZE);
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let square = (8 + 4 * number..28 + 4 * number).contains(&x) && (20..40).contains(&y);
            let colour = if square { [250, 200, 40] } else { [(2 * x) as u8, (3 * y) as u8, 90] };
            let first = 3 * (y * SIZE[0] + x) as usize;
            image.pixels[first..first + 3].copy_from_slice(&colour);
        }
    }
    image
}

/// Peak signal to noise \[dB].
fn psnr(a: &[u8], b: &[u8]) -> f64 {
    let square = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b)).powi(2);
    let mean = a.iter().zip(b).map(square).sum::<f64>() / a.len() as f64;
    10.0 * (255.0 * 255.0 / mean.max(1e-9)).log10()
}

#[test]
fn gifs_have_their_frames_and_times() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("square.gif");
    let mut video = create(&path, SIZE, 30.0)?;
    (0..7).try_for_each(|i| video.frame(&frame(i)))?;
    assert_eq!(video.finish()?, 7);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path)?)?;
    let (mut count, mut time) = (0, 0);
    while let Some(read) = decoder.read_next_frame()? {
        let rgb: Vec<u8> = read.buffer.chunks(4).flat_map(|p| p[..3].to_vec()).collect();
        let quality = psnr(&rgb, &frame(count).pixels);
        assert!(quality > 28.0, "frame {count}: {quality} dB");
        (count, time) = (count + 1, time + read.delay);
    }
    // seven thirtieths of a second are 23.3 hundredths
    assert_eq!((count, time), (7, 23));
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    Ok(())
}

#[test]
fn frames_are_the_images_themselves() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut video = create(&folder.path().join("frames.png"), SIZE, 30.0)?;
    (0..3).try_for_each(|i| video.frame(&frame(i)))?;
    assert_eq!(video.finish()?, 3);
    for i in 0..3 {
        let file = File::open(folder.path().join(format!("frames_{:04}.png", i + 1)))?;
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info()?;
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut pixels)?;
        assert_eq!([info.width, info.height], SIZE);
        assert_eq!(pixels, frame(i).pixels);
    }
    Ok(())
}

/// Boxes of an MP4 one after the other: their names and contents.
#[cfg(feature = "mp4")]
fn boxes(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let (mut list, mut rest) = (Vec::new(), bytes);
    while rest.len() >= 8 {
        let size = u32::from_be_bytes([rest[0], rest[1], rest[2], rest[3]]) as usize;
        if size < 8 || size > rest.len() {
            break;
        }
        list.push((&rest[4..8], &rest[8..size]));
        rest = &rest[size..];
    }
    list
}

#[cfg(feature = "mp4")]
fn inside<'a>(bytes: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
    path.iter().try_fold(bytes, |bytes, name| {
        boxes(bytes).into_iter().find(|(n, _)| *n == name.as_bytes()).map(|(_, contents)| contents)
    })
}

#[cfg(feature = "mp4")]
#[test]
fn mp4s_are_decoded_to_what_was_filmed() -> Result<(), Failed> {
    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("square.mp4");
    let mut video = create(&path, SIZE, 24.0)?;
    (0..12).try_for_each(|i| video.frame(&frame(i)))?;
    assert_eq!(video.finish()?, 12);
    let bytes = std::fs::read(&path)?;
    let number = |b: &[u8], at: usize| u32::from_be_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
    assert_eq!(boxes(&bytes)[0].0, b"ftyp");
    let table = ["moov", "trak", "mdia", "minf", "stbl"];
    let of = |name: &'static str| inside(&bytes, &[&table[..], &[name]].concat()).ok_or(name);
    let sizes = of("stsz")?;
    assert_eq!(number(sizes, 8), 12);
    // all frames last 1/24 s
    let header = inside(&bytes, &["moov", "trak", "mdia", "mdhd"]).ok_or("mdhd")?;
    let (scale, times) = (number(header, 12), of("stts")?);
    let long: u32 =
        (0..number(times, 4) as usize).map(|i| number(times, 8 + 8 * i) * number(times, 12 + 8 * i)).sum();
    assert!((f64::from(long) / f64::from(scale) - 0.5).abs() < 1e-3, "{long} / {scale}");
    // frames follow each other in the one chunk, or in chunks of their own
    let entry = of("stsd")?;
    let config = entry.windows(4).position(|w| w == b"avcC").ok_or("avcC")? + 4;
    let mut decoder = Decoder::new()?;
    let mut sets = Vec::new();
    let mut at = config + 6;
    for several in [true, false] {
        let count = if several {
            entry[config + 5] & 31
        } else {
            at += 1;
            entry[at - 1]
        };
        for _ in 0..count {
            let long = usize::from(u16::from_be_bytes([entry[at], entry[at + 1]]));
            sets.extend([0, 0, 0, 1]);
            sets.extend(&entry[at + 2..at + 2 + long]);
            at += 2 + long;
        }
    }
    let data = boxes(&bytes).into_iter().find(|(name, _)| *name == b"mdat").ok_or("mdat")?.1;
    let (mut first, mut seen) = (0, 0);
    for i in 0..12 {
        let size = number(sizes, 12 + 4 * i) as usize;
        let mut packet = if i == 0 { std::mem::take(&mut sets) } else { Vec::new() };
        let (sample, mut at) = (&data[first..first + size], 0);
        while at + 4 <= size {
            let long = number(sample, at) as usize;
            packet.extend([0, 0, 0, 1]);
            packet.extend(&sample[at + 4..at + 4 + long]);
            at += 4 + long;
        }
        first += size;
        let Some(read) = decoder.decode(&packet)? else { continue };
        let (width, height) = (SIZE[0] as usize, SIZE[1] as usize);
        assert_eq!(read.dimensions(), (width, height));
        let stride = read.strides().0;
        let luma: Vec<u8> =
            (0..height).flat_map(|y| read.y()[y * stride..y * stride + width].to_vec()).collect();
        let bright = |p: &[u8]| {
            let [r, g, b] = [p[0], p[1], p[2]].map(f64::from);
            (16.0 + (0.2126 * r + 0.7152 * g + 0.0722 * b) * 219.0 / 255.0).round() as u8
        };
        let expected: Vec<u8> = frame(seen).pixels.chunks(3).map(bright).collect();
        let quality = psnr(&luma, &expected);
        assert!(quality > 30.0, "frame {seen}: {quality} dB");
        seen += 1;
    }
    assert_eq!(seen, 12);
    Ok(())
}

#[test]
fn what_cannot_be_made_says_why() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str, size, fps| create(&folder.path().join(name), size, fps).err();
    assert!(matches!(at("a.avi", SIZE, 30.0), Some(RecordError::Extension { .. })));
    assert!(matches!(at("a.gif", SIZE, 60.0), Some(RecordError::Fps { .. })));
    assert!(matches!(at("a.gif", SIZE, f64::NAN), Some(RecordError::Fps { .. })));
    assert!(matches!(at("a.png", [0, 1], 30.0), Some(RecordError::Size { .. })));
    assert!(matches!(at("nowhere/a.gif", SIZE, 30.0), Some(RecordError::Write { .. })));
    #[cfg(feature = "mp4")]
    assert!(matches!(at("a.mp4", [641, 480], 30.0), Some(RecordError::Size { .. })));
    Ok(())
}
