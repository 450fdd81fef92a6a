// Prints what the official validator finds in .glb files, as JSON, one line per file. Exit code 1 if there is an error.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

let errors = 0;
for (const path of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 20 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  errors += numErrors;
  console.log(JSON.stringify({ path, errors: numErrors, warnings: numWarnings, infos: numInfos, hints: numHints, messages }));
}
process.exit(errors > 0 ? 1 : 0);
