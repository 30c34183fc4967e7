// SPDX-License-Identifier: Apache-2.0
// Data of the contract in src/data.ts, made from a seed: what a run might hold.
import { deflateSync, crc32 } from "node:zlib";

/** Names that must be shown as they are. */
export const hostileNames = [
  '</script><script>document.title="pwned"</script>',
  '<img src=x onerror="document.title=`pwned`">',
  "quote \" and ' and & and <b>",
  "right \u202E to left \u2067 marks \u2028 and line ends",
];

/** Numbers in [0, 1) from a seed (a linear congruence is random enough). */
export function seeded(seed) {
  let state = BigInt(seed) * 2n + 1n;
  return () => {
    state = BigInt.asUintN(
      64,
      state * 6364136223846793005n + 1442695040888963407n,
    );
    return Number(state >> 11n) / 2 ** 53;
  };
}

function normal(random) {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}

const round = (value, digits = 5) => Number(value.toPrecision(digits));

/** A point of a class in `dimension` coordinates, `reach` times as far out. */
function drawPoint(random, cls, dimension, reach) {
  const angle = (2 * Math.PI * cls) / 3 + 0.4;
  return Array.from({ length: dimension }, (_, d) => {
    const centre =
      d < 2 ? 2.4 * (d === 0 ? Math.cos(angle) : Math.sin(angle)) : 0;
    const spread = d < 2 ? 0.55 : 0.3;
    return centre + reach * spread * normal(random);
  });
}

function energyOf(random, level) {
  return Math.max(0.002, level * Math.exp(0.42 * normal(random)));
}

function makeBank(random, options, thresholds) {
  const rows = Math.min(options.bankRows, 5000);
  const points = Array.from({ length: rows }, (_, i) => {
    const cls = i % thresholds.length;
    return {
      row: Math.floor((i * options.bankRows) / rows),
      cls,
      energy: energyOf(random, 0.6 * thresholds[cls]),
      place: drawPoint(random, cls, options.dimension, 1),
    };
  });
  return points;
}

function columns(points, total) {
  return {
    total,
    class: points.map((p) => p.cls),
    energy: points.map((p) => round(p.energy)),
    x: points.map((p) => round(p.place[0], 4)),
    y: points.map((p) => round(p.place[1], 4)),
  };
}

function makeAnchors(random, options, thresholds) {
  return Array.from({ length: options.anchors }, (_, i) => {
    const cls = i % thresholds.length;
    return {
      row: (i * 7) % options.bankRows,
      cls,
      energy: energyOf(random, 0.85 * thresholds[cls]),
      place: drawPoint(random, cls, options.dimension, 1.5),
      draws: 0,
      successes: 0,
    };
  });
}

function makeOutliers(random, options, anchors, thresholds) {
  return Array.from({ length: options.outliers }, (_, i) => {
    const position = Math.floor(anchors.length * random() ** 1.6);
    const anchor = anchors[position];
    anchor.draws += 1 + Math.floor(random() * 2);
    anchor.successes += 1;
    const margin = 0.012 * random() + 0.0001;
    return {
      index: i,
      position,
      cls: anchor.cls,
      energy: thresholds[anchor.cls] + margin,
      margin,
      place: anchor.place.map((v) => 1.16 * v + 0.16 * normal(random)),
    };
  });
}

const metricList = [
  [
    "Gap",
    0.0165862,
    "higher is better",
    "mean energy above the threshold, E - tau",
  ],
  ["Accepted", 1, "higher is better", "share of outliers with E >= tau"],
  [
    "Fill_A",
    0.9036,
    "higher is better",
    "share of anchors with a feasible proposal",
  ],
  [
    "Fill_n",
    0.865,
    "higher is better",
    "share of bank points with a feasible proposal",
  ],
  [
    "MMD2",
    0.000235448,
    "neutral",
    "squared kernel distance to the bank, biased, in [0, 2]",
  ],
  [
    "MMD2_unbiased",
    -0.0022951,
    "neutral",
    "squared kernel distance to the bank, unbiased",
  ],
  [
    "Diversity",
    0.700795,
    "higher is better",
    "1 - mean cosine of pairs of outliers",
  ],
  [
    "Diversity_class",
    0.0964855,
    "higher is better",
    "1 - mean cosine of pairs of the same class",
  ],
  [
    "Nearest_min",
    2.08826e-5,
    "neutral",
    "smallest cost to the nearest bank point",
  ],
  [
    "Contam_TS",
    0,
    "lower is better",
    "share whose nearest bank point is of another class",
  ],
  [
    "Purity",
    1,
    "higher is better",
    "as Fidelity_1nn with equally many bank points of each class, mean over classes",
  ],
];

function makeMetrics() {
  const known = metricList.map(([name, value, direction, meaning]) => ({
    name,
    value,
    direction,
    meaning,
  }));
  const missing = {
    name: "FlipRate@256",
    value: null,
    direction: "lower is better",
    meaning: "share of decisions that change on a small random bank",
    reason: "needs more than 256 bank points of each class",
  };
  return [...known, missing];
}

function makeCertificate(thresholds, outliers) {
  const shares = [0, 0.05, 0.34, 0.53, 0.71, 0.9, 0.96];
  return {
    certified: false,
    caveat:
      "the outliers or the reference were chosen by means of the reference itself",
    delta: 0.05,
    sentences: [
      "With 300 reference points in 3 classes, none of the 146 accepted outliers is clear of the threshold at 95 %; 1,200 would clear about 34 %.",
      "To clear 95 % of them you would need about 48,000 reference points; all of them take about 3,800,000 reference points.",
      "A fresh in-distribution point exceeds the threshold with a probability of at most 25 % (300 calibration points, no other assumption).",
    ],
    growth: [1, 2, 4, 8, 16, 64, 256].map((factor, i) => ({
      factor,
      certified_share: shares[i],
    })),
    totals: {
      outliers,
      accepted: outliers,
      certified_accept: 0,
      certified_reject: 0,
      undecided: outliers,
    },
    classes: thresholds.map((threshold) => ({
      reference: 100,
      calibration: 100,
      outliers: Math.floor(outliers / thresholds.length),
      threshold,
      ceiling: 0.0828153,
      smallest_epsilon: 0.0224683,
    })),
    calculators: {
      required_n: {
        margin: 0.0155,
        hoeffding_paper: 37200.46,
        two_sided_relative: 7027.27,
        one_sided_kl: 584.75,
      },
      knn_theorem: {
        vacuous: true,
        reason:
          "Vacuous: the theorem asks for fewer than 51 points before it keeps neighbour 5 beyond 0.0171, and there are 300.",
      },
      uniform_bound: {
        vacuous: true,
        reason:
          "Vacuous: with 100 reference points the bound needs a support of at least 0.898 everywhere in the space, and the smallest one is 4.25e-18.",
      },
    },
  };
}

/** A channel with a level shift and, behind it, what was recorded. */
function makeChannel(random, name, scale) {
  const length = 240;
  const [first, end] = [90, 170];
  let drift = 0;
  const source = Array.from({ length }, (_, t) => {
    drift = 0.97 * drift + 0.2 * normal(random);
    return round(scale * (5 + Math.sin(t / 17) + 0.3 * drift), 5);
  });
  const gate = (t) =>
    1 / (1 + Math.exp(-(t - first) / 4)) / (1 + Math.exp((t - end) / 4));
  const edited = source.map((v, t) => round(v + 1.6 * scale * gate(t), 5));
  return {
    name,
    source,
    edited,
    spans: [[first, end]],
    low: 3.6 * scale,
    high: 6.5 * scale,
  };
}

function makeWindows(random, names) {
  return [0, 1].map((i) => ({
    outlier: 3 + 8 * i,
    class: i % names.length,
    sentences: [
      "tank_level runs 1.24 units (0.38 sd) above its recorded level from around row 4,090 to row 4,170",
      "Energy 0.103 -> 0.133, threshold 0.130: just outside.",
    ],
    first_row: 4000 + 500 * i,
    times: i === 0 ? null : ["2024-03-01 04:10", "2024-03-01 08:10"],
    channels: [
      makeChannel(random, "tank_level", 1),
      makeChannel(random, i === 0 ? "feed <b>flow</b>" : "pump_speed", 240),
    ].slice(0, 2 - i + i),
    channel_count: 25,
  }));
}

function chunk(type, body) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(checksum(named));
  return Buffer.concat([head, named, tail]);
}

/** CRC-32 as PNG has it, for Node versions without one. */
function checksum(bytes) {
  if (crc32) return crc32(bytes);
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) {
      crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A grey PNG of a ring, off centre by `shift`, in base64. */
function makePng(shift) {
  const size = 28;
  const rows = Array.from({ length: size }, (_, y) => {
    const pixels = Array.from({ length: size }, (_, x) => {
      const distance = Math.hypot(x - 14 - shift, y - 14);
      return Math.round(255 * Math.exp(-(((distance - 8) / 2.4) ** 2)));
    });
    return Buffer.from([0, ...pixels]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]).toString("base64");
}

function makeImages(names) {
  return Array.from({ length: 12 }, (_, i) => ({
    outlier: i,
    class: i % names.length,
    png: makePng(i - 6),
    source_png: makePng(0),
    energy: 0.06 + 0.002 * i,
    decoded_energy: 0.05 + 0.002 * i,
    consistency: 0.9,
    nearest_image: 0.1 + 0.01 * i,
    outside: i % 3 !== 1,
    severity: i % 4,
  }));
}

function makeShare(hits, of) {
  const value = of === 0 ? 0 : hits / of;
  const half = of === 0 ? 1 : 1.96 * Math.sqrt(0.25 / of);
  return {
    count: hits,
    of,
    share: round(value),
    low: round(Math.max(0, value - half)),
    high: round(Math.min(1, value + half)),
  };
}

/** Answers of a detector that misses one class and low severities. */
function makeStress(names) {
  const group = (grouping, level, severity, hits, of) => ({
    grouping,
    level,
    severity,
    failures: makeShare(hits, of),
  });
  const missed = (cls, severity) => (cls === 1 ? 18 : 12) - 4 * severity;
  const severities = [1, 2, 3];
  const bySeverity = severities.map((s) =>
    group(
      "",
      "",
      s,
      names.reduce((sum, _, cls) => sum + missed(cls, s), 0),
      20 * names.length,
    ),
  );
  const groups = names.flatMap((name, cls) => [
    group(
      "class",
      name,
      null,
      severities.reduce((sum, s) => sum + missed(cls, s), 0),
      60,
    ),
    ...severities.map((s) => group("class", name, s, missed(cls, s), 20)),
  ]);
  const all = bySeverity.reduce((sum, s) => sum + s.failures.count, 0);
  return {
    model: 'python predict.py {cases} {out} # "</script>"',
    task: "detector",
    failure: "missed",
    controls: "held-out rows",
    control_failures: makeShare(3, 300),
    overall: makeShare(all, 60 * names.length),
    auroc: 0.871,
    tolerance: 0.1,
    ranked_groups: groups.length,
    severities: bySeverity,
    groups,
    weak_spots: [groups[4], groups[5]].map((spot, i) => ({
      ...spot,
      clearest: [
        { outlier: i, words: "the pump runs 2.3 bar higher for 40 min" },
        { outlier: 400 + i, words: hostileNames[0] },
      ],
    })),
    gates: [
      { text: "detection >= 0.9 at severity 3", passed: true, value: 0.93 },
      { text: "detection >= 0.8 for class loaded", passed: false, value: 0.5 },
    ],
    notes: ["Severities are those of the encoder of the run."],
  };
}

/** Texts of any kind, and some pictures. */
function makeItems(names) {
  return Array.from({ length: 9 }, (_, i) => ({
    row: 7 * i,
    class: i % names.length,
    text: [
      "Can I move money between my accounts at the weekend?",
      hostileNames[i % hostileNames.length],
      `pictures/ring-${i}.png`,
    ][i % 3],
    png: i % 3 === 2 ? makePng(i - 4) : null,
  }));
}

function makeClasses(names, thresholds, options, anchors, outliers) {
  return names.map((name, cls) => {
    const own = anchors.filter((a) => a.cls === cls);
    const produced = outliers.filter((o) => o.cls === cls).length;
    const requested = produced + (options.isShort && cls === 1 ? 9 : 0);
    return {
      name,
      points: Math.floor(options.bankRows / names.length),
      reference: Math.floor((0.92 * options.bankRows) / names.length),
      requested,
      inside: cls === 1 && options.hasExtras ? 1 : 0,
      produced,
      threshold: thresholds[cls],
      epsilon: 0.013 + 0.002 * cls,
      radius: cls === 0 ? [0.5, 0.5] : [0.41, 0.97],
      binding: produced < requested ? "energy" : "none",
      proposals: 118784,
      failing_energy: 52964 + 900 * cls,
      failing_semantic: 7318,
      failing_seed: 0,
      anchors: own.length + 40,
      anchors_tried: own.length,
      anchors_hit: own.filter((a) => a.successes > 0).length,
      acceptance: 0.862,
      acceptance_interval: [0.746, 0.939],
      purity: 1,
    };
  });
}

function makeFeatures(options, bank, anchors, outliers) {
  const outlierRows = outliers.slice(0, 1000).map((_, i) => i);
  const anchorRows = anchors.slice(0, 500).map((_, i) => i);
  const room = 2000 - outlierRows.length - anchorRows.length;
  const step = Math.max(1, Math.ceil(bank.length / room));
  const bankRows = bank.map((_, i) => i).filter((i) => i % step === 0);
  const points = [
    ...bankRows.map((i) => bank[i]),
    ...anchorRows.map((i) => anchors[i]),
    ...outlierRows.map((i) => outliers[i]),
  ];
  return {
    dimension: options.dimension,
    bank: bankRows,
    anchors: anchorRows,
    outliers: outlierRows,
    values: points.flatMap((p) => p.place.map((v) => round(v, 4))),
  };
}

const standard = {
  seed: 1,
  names: ["calm", "loaded", "start-up"],
  bankRows: 600,
  anchors: 96,
  outliers: 150,
  dimension: 6,
  isShort: false,
  hasExtras: true,
};

/** See the top of the file. */
export function makeData(changes = {}) {
  const options = { ...standard, ...changes };
  const random = seeded(options.seed);
  const { names } = options;
  const thresholds = names.map((_, cls) => round(0.0363 + 0.0013 * cls));
  const bank = makeBank(random, options, thresholds);
  const anchors = makeAnchors(random, options, thresholds);
  const outliers = makeOutliers(random, options, anchors, thresholds);
  const classes = makeClasses(names, thresholds, options, anchors, outliers);
  const sum = (key) => classes.reduce((total, c) => total + c[key], 0);
  return {
    format: 1,
    run: {
      name: "runs/first",
      kind: "latent",
      input: "demo:bank",
      input_checksum: "2691b073b2f51936",
      run: "18278f38a8223eba",
      rule: "sbog",
      seed: 0,
      version: "0.1.0",
      state: options.isShort ? "partial" : "complete",
      bank_rows: options.bankRows,
      dimension: options.dimension,
      requested: sum("requested"),
      produced: sum("produced"),
      level: options.hasExtras ? 0.95 : null,
      distance_ratio: options.hasExtras ? 2.31 : null,
      least_distance_ratio: 1.3,
    },
    classes,
    bank: { ...columns(bank, options.bankRows), row: bank.map((p) => p.row) },
    anchors: {
      ...columns(anchors, anchors.length),
      row: anchors.map((p) => p.row),
      draws: anchors.map((p) => p.draws),
      successes: anchors.map((p) => p.successes),
    },
    outliers: {
      ...columns(outliers, outliers.length),
      index: outliers.map((p) => p.index),
      anchor: outliers.map((p) => p.position),
      origin: outliers.map(() => "round"),
      round: outliers.map(() => 0),
      proposal: outliers.map(() => Math.floor(2048 * random())),
      feasible: outliers.map(() => Math.floor(1 + 1900 * random())),
      margin: outliers.map((p) => round(p.margin)),
      class_cosine: outliers.map(() => round(0.93 + 0.04 * random())),
      anchor_cosine: outliers.map(() => round(0.991 + 0.009 * random())),
      nearest: outliers.map(() => round(0.011 * random() ** 2 + 1e-4)),
      p_value: outliers.map((_, i) =>
        i % 5 === 0 ? null : round(0.2 * random()),
      ),
      certified: outliers.map((_, i) => (i % 5 === 0 ? null : i % 2 === 0)),
      words: outliers.map((_, i) => (i % 7 === 3 ? "a level shift" : null)),
      neighbours: outliers.map((p, i) =>
        options.hasExtras ? [p.cls, (i + 1) % 9, (i + 5) % 9] : [],
      ),
    },
    stress: options.hasExtras ? makeStress(names) : null,
    items: options.hasExtras ? makeItems(names) : [],
    listed: options.hasExtras
      ? outliers.flatMap((_, i) => (i % 3 === 0 && i < 180 ? [i] : []))
      : [],
    map: {
      explained: [0.4312, 0.2178],
      features: makeFeatures(options, bank, anchors, outliers),
    },
    metrics: options.hasExtras ? makeMetrics() : null,
    metrics_note: options.hasExtras ? "" : "There are none: sbog evaluate.",
    certificate: options.hasExtras
      ? makeCertificate(thresholds, outliers.length)
      : null,
    certificate_note: options.hasExtras ? "" : "There is none: sbog certify.",
    notes: ["A remark on the run."],
    windows: options.hasExtras ? makeWindows(random, names) : [],
    images: options.hasExtras ? makeImages(names) : [],
    images_total: options.hasExtras ? 150 : 0,
    images_outside: null,
    config:
      'seed = 0\n\n[generate]\nkind = "latent"\nlabels = "demo:labels"\nepsilon = 0.05\nquantile = 0.75\n',
    command:
      "sbog generate demo:bank --labels demo:labels --count 50 --out runs/first",
  };
}
