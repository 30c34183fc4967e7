// SPDX-License-Identifier: Apache-2.0
// Light and dark: colours live in the style sheet; charts read them here and
// are told when they change.

/** Colours of a chart, as the style sheet has them now. */
export interface Colours {
  ink: string;
  muted: string;
  grid: string;
  paper: string;
  bank: string;
  anchor: string;
  outlier: string;
  other: string;
  /** Of classes, told apart by people who are colour-blind too. */
  classes: string[];
}

const CLASS_COLOURS = 6;
const listeners = new Set<() => void>();

/** See Colours. */
export function readColours(): Colours {
  // A property of the style sheet holds both themes; used as the colour of an
  // element it is the one that is seen.
  const probe = document.createElement("span");
  document.body.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const classes = Array.from({ length: CLASS_COLOURS }, (_, i) =>
    read(`class-${i + 1}`),
  );
  const colours = {
    ink: read("ink"),
    muted: read("muted"),
    grid: read("grid"),
    paper: read("card"),
    bank: read("bank"),
    anchor: read("anchor"),
    outlier: read("outlier"),
    other: read("other"),
    classes,
  };
  probe.remove();
  return colours;
}

/** Calls back whenever the colours have changed. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** Lets `button` switch between light and dark; the system's wish holds until
 *  it is pressed. */
export function bindTheme(button: HTMLElement): void {
  const wish = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () =>
    root.dataset["theme"] ? root.dataset["theme"] === "dark" : wish.matches;
  const label = () => {
    button.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    root.dataset["theme"] = isDark() ? "light" : "dark";
    label();
    notify();
  });
  wish.addEventListener("change", () => {
    label();
    notify();
  });
  label();
}
