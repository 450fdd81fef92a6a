// Runs a program compiled for wasm32-unknown-unknown: node run.mjs program.wasm
// A panic in it is a trap, which Node throws.
import { readFile } from "node:fs/promises";

const [file] = process.argv.slice(2);
const module = await WebAssembly.compile(await readFile(file));
const wanted = WebAssembly.Module.imports(module);
if (wanted.length > 0) {
    // without the feature `web-time` the library asks nothing of its host
    throw new Error(`${file} imports ${wanted.map(({ module, name }) => `${module}.${name}`).join(", ")}`);
}
const { exports } = await WebAssembly.instantiate(module, {});
const code = exports.main(0, 0);
if (code !== 0) {
    throw new Error(`main returned ${code}`);
}
console.log(`${file.split("/").pop()}: every step was taken`);
