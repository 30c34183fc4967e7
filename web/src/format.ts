// SPDX-License-Identifier: Apache-2.0
// Numbers for people: few digits, thousands apart, powers of ten spelled out.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const MINUS = "−";
const PERCENT = "\u00a0%";

function power(exponent: number): string {
  const digits = String(Math.abs(exponent));
  const raised = [...digits].map((d) => SUPERSCRIPTS[Number(d)]).join("");
  return (exponent < 0 ? "⁻" : "") + raised;
}

/** Whole numbers with a comma between thousands. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US").replace("-", MINUS);
}

/** About `digits` digits that count: 0.0345, 12.3, 1,480, 2.09 × 10⁻⁵. */
export function number(value: number | null, digits = 3): string {
  if (value === null) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${mantissa} × 10${power(Number(exponent))}`.replace("-", MINUS);
  }
  if (size >= 1000) return count(value);
  if (Number.isInteger(value)) return String(value).replace("-", MINUS);
  return value.toPrecision(digits).replace("-", MINUS);
}

/** A share in [0, 1] in per cent; never rounded up to all or down to none. */
export function percent(share: number | null): string {
  if (share === null) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.1) return `< 0.1${PERCENT}`;
  if (value < 100 && value > 99.9) return `> 99.9${PERCENT}`;
  const isWhole = Math.abs(value - Math.round(value)) < 1e-9;
  return `${isWhole ? Math.round(value) : value.toFixed(1)}${PERCENT}`;
}

/** Sentences with every "%" kept beside its number. */
export function keepTogether(text: string): string {
  return text.replaceAll(" %", PERCENT);
}

/** "1 outlier", "2 outliers". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The quantile of sorted values, linear between neighbours (type 7). */
export function quantile(sorted: number[], level: number): number {
  const at = (sorted.length - 1) * level;
  const low = Math.floor(at);
  const left = sorted[low] ?? NaN;
  const right = sorted[Math.min(low + 1, sorted.length - 1)] ?? NaN;
  return left + (at - low) * (right - left);
}
