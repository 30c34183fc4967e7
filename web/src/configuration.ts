// SPDX-License-Identifier: Apache-2.0
// How to make the run again: command, identity and configuration.
import type { ReportData } from "./data";
import { details, foreign, h, section } from "./dom";
import { count } from "./format";

function copyButton(source: HTMLElement): HTMLElement {
  const button = h("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      // Without the clipboard the text is at least selected.
      getSelection()?.selectAllChildren(source);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return button;
}

function block(label: string, text: string): HTMLElement {
  const code = h("code", {}, text);
  return h(
    "div",
    { class: "code" },
    h("pre", { tabindex: 0, role: "group", "aria-label": label }, code),
    copyButton(code),
  );
}

/** The section. */
export function configurationSection(data: ReportData): HTMLElement {
  const { run } = data;
  const pairs: [string, string][] = [
    ["Input", run.input],
    ["Kind", run.kind],
    ["Rule", run.rule],
    ["Seed", String(run.seed)],
    ["sbog", run.version],
    ["Checksum of the input", run.input_checksum],
    ["Checksum of the run", run.run],
  ];
  if (run.bank_rows > 0) {
    pairs.push(["Bank", `${count(run.bank_rows)} × ${count(run.dimension)}`]);
  }
  return section(
    "configuration",
    "Make it again",
    ["The same command, version and input give the same bits."],
    block("Command", data.command),
    h(
      "dl",
      { class: "pairs" },
      ...pairs.flatMap(([name, value]) => [
        h("dt", {}, name),
        h("dd", {}, foreign(value)),
      ]),
    ),
    details("Configuration", block("Configuration", data.config)),
  );
}
