// SPDX-License-Identifier: Apache-2.0
// Imports a module of src/ into Node.
import { build } from "esbuild";
import { root } from "../sources.mjs";

export async function load(name) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [`src/${name}.ts`],
    bundle: true,
    format: "esm",
    write: false,
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
