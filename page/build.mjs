// Bundles the page into the folder that the server serves, or into another one (`node build.mjs FOLDER`).
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? join(here, "../python/membar/server/static");
const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", charset: "utf8", logLevel: "warning" };

await mkdir(out, { recursive: true });
// The editor is a file of its own: the page is shown, and a program can be typed, before it is loaded.
await build({ ...common, entryPoints: [join(here, "src/main.ts")], outfile: join(out, "app.js"), format: "esm", external: ["./editor.js", "./campaign.js", "./evidence.js"] });
await build({ ...common, entryPoints: [join(here, "src/editor.ts")], outfile: join(out, "editor.js"), format: "esm" });
// So are the campaign, and histories and proofs: most people never open them.
await build({ ...common, entryPoints: [join(here, "src/campaign.ts")], outfile: join(out, "campaign.js"), format: "esm" });
await build({ ...common, entryPoints: [join(here, "src/evidence.ts")], outfile: join(out, "evidence.js"), format: "esm" });
await build({ ...common, entryPoints: [join(here, "src/campaign.css")], outfile: join(out, "campaign.css") });
// The drawing alone, for reports that are one file.
await build({ ...common, entryPoints: [join(here, "src/report.ts")], outfile: join(out, "report.js"), format: "iife" });
await build({ ...common, entryPoints: [join(here, "src/style.css")], outfile: join(out, "style.css") });
// The style is part of the page: the first paint waits for nothing else.
const style = await readFile(join(out, "style.css"), "utf8");
const page = await readFile(join(here, "src/index.html"), "utf8");
await writeFile(join(out, "index.html"), page.replace("/* style.css */", () => style.trim()));
