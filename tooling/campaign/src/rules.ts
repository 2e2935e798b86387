import type { FindingKind, Severity } from '@nccl-ts/findings';
import { isWorse, type Observation } from './observation.ts';
import type { Truth } from './oracle.ts';

/** The results of all engines for one program. */
export interface Seen {
  readonly observations: readonly Observation[];
  readonly graph: Observation;
  readonly counted: Observation;
  readonly exhaustive: Observation;
  /** The result of `check` without options. */
  readonly defaults: readonly Observation[];
  readonly sampled: readonly Observation[];
  /** The result of brute force over the axioms, for programs that it supports. */
  readonly truth: Truth | undefined;
  /** An observation and its repetition. */
  readonly repeated: readonly (readonly [Observation, Observation])[];
}

/**
 * A relation that must hold between the engines' results. `broken` describes a violation, or
 * returns nothing.
 */
export interface Rule {
  readonly name: string;
  readonly holds: string;
  /**
   * True if no engine guarantees this relation. A violation is then counted, but is not a
   * disagreement. For example, one run need not report every pair.
   */
  readonly isNote?: true;
  readonly broken: (seen: Seen) => string | undefined;
}

/**
 * Findings that end a run, or that come from rules of the network. The graph engine does not know
 * them.
 */
const ofTheWatch: ReadonlySet<FindingKind> = new Set(['misuse', 'leftover', 'uninitialised', 'proxy', 'incomplete']);

/** Errors that must not disappear. */
const lasting: ReadonlySet<FindingKind> = new Set(['race', 'misuse', 'leftover', 'fault', 'deadlock', 'out-of-bounds']);

/** Each kind of disagreement has a name: its class. */
export const rules: readonly Rule[] = [
  {
    name: 'throws',
    holds: 'No engine throws.',
    broken: ({ observations }) =>
      first(observations, ({ engine, thrown }) => (thrown === undefined ? undefined : `${engine}: ${thrown}`)),
  },
  {
    name: 'not-repeatable',
    holds: 'The same seed gives the same report twice, if no time limit ends it.',
    broken: ({ repeated }) =>
      first(repeated, ([once, again]) =>
        once.report === again.report || isCutShort(once) || isCutShort(again) ? undefined : `${once.engine} differs`,
      ),
  },
  {
    name: 'clean-beside-an-error',
    holds: 'Exhaustive is not clean if another engine found an error.',
    broken: ({ exhaustive, observations }) =>
      exhaustive.verdict === 'clean'
        ? first(observations, (one) => (isFound(one) ? errorText(one) : undefined))
        : undefined,
  },
  {
    name: 'default-misses-all-schedules',
    holds: 'The default finds errors that the counted run proves for all schedules.',
    broken: ({ counted, defaults }) =>
      counted.claimsAll && isFound(counted) ? cleanBeside(counted, defaults) : undefined,
  },
  {
    name: 'default-misses',
    holds: 'The default finds an error if the complete graph engine finds one.',
    broken: ({ graph, defaults }) => (isComplete(graph) && isFound(graph) ? cleanBeside(graph, defaults) : undefined),
  },
  {
    name: 'proven-clean-beside-an-error',
    holds: 'If the counted run proves all schedules clean, no sampled schedule has an error.',
    broken: ({ counted, sampled, defaults }) =>
      counted.claimsAll && counted.verdict === 'clean'
        ? first([...sampled, ...defaults], (one) => (isFound(one) ? errorText(one) : undefined))
        : undefined,
  },
  {
    name: 'proven-clean-graph-not',
    holds: 'If the counted run proves all schedules clean, the graph engine finds nothing.',
    broken: ({ counted, graph }) =>
      counted.claimsAll && counted.verdict === 'clean' && isFound(graph) ? errorText(graph) : undefined,
  },
  {
    name: 'proven-race-graph-clean',
    holds: 'If the counted run proves a race in all schedules, the complete graph engine is not clean.',
    broken: ({ counted, graph }) =>
      counted.claimsAll && isFound(counted) && isComplete(graph) && graph.verdict === 'clean'
        ? errorText(counted)
        : undefined,
  },
  {
    name: 'proven-race-not-in-graph',
    holds: 'The complete graph engine finds each race that the counted run proves for all schedules.',
    broken: ({ counted, graph }) =>
      counted.claimsAll && isComplete(graph) && isWhole(graph) && graph.races.size > 0
        ? inOneAlone('counted', counted.races, graph.races)
        : undefined,
  },
  {
    name: 'proven-races-fewer',
    holds: 'If the counted run proves races for all schedules, it finds each race of the complete graph engine.',
    isNote: true,
    broken: ({ counted, graph }) =>
      counted.claimsAll && isComplete(graph) && counted.races.size > 0
        ? inOneAlone('graph', graph.races, counted.races)
        : undefined,
  },
  {
    name: 'proven-outcome-differs',
    holds:
      'If the counted run proves all schedules clean, and no accesses mix proxies, the graph engine finds one outcome.',
    broken: ({ counted, graph }) =>
      counted.claimsAll &&
      counted.verdict === 'clean' &&
      !counted.mixesProxies &&
      graph.thrown === undefined &&
      graph.outcomes.size > 1
        ? [...graph.outcomes].join(' / ')
        : undefined,
  },
  {
    name: 'race-not-in-graph',
    holds: 'The complete graph engine finds each race of a sampled schedule.',
    broken: ({ sampled, defaults, graph }) =>
      isComplete(graph) && isWhole(graph)
        ? first([...sampled, ...defaults], ({ engine, races }) => inOneAlone(engine, races, graph.races))
        : undefined,
  },
  {
    name: 'default-milder-than-graph',
    holds:
      'The worst race of the default is as severe as that of the complete graph engine, if no accesses mix proxies. After an error of another kind, the default looks no further.',
    broken: ({ graph, defaults }) =>
      isComplete(graph) && isWhole(graph) && !graph.mixesProxies
        ? first(
            defaults.filter(({ verdict }) => verdict === 'race' || verdict === 'clean'),
            (one) => milderThan(one, graph),
          )
        : undefined,
  },
  {
    name: 'proven-race-milder-than-graph',
    holds:
      'If the counted run proves for all schedules, its worst race is as severe as that of the graph engine, if no accesses mix proxies.',
    broken: ({ graph, counted }) => (counted.claimsAll && !graph.mixesProxies ? milderThan(counted, graph) : undefined),
  },
  {
    name: 'severer-than-graph',
    holds: 'The worst race of a single run is no more severe than that of the complete graph engine.',
    broken: ({ graph, counted, sampled, defaults }) =>
      isComplete(graph) && isWhole(graph)
        ? first([counted, ...sampled, ...defaults], (one) => milderThan(graph, one))
        : undefined,
  },
  {
    name: 'pair-severity-differs',
    holds: 'The default and the complete graph engine agree on the severity of each race.',
    isNote: true,
    broken: ({ graph, defaults }) =>
      isComplete(graph)
        ? first(defaults, ({ engine, severities }) =>
            first([...severities], ([pair, severity]) => {
              const other = graph.severities.get(pair);
              return other !== undefined && severity !== other
                ? `${engine}: ${severity}, graph: ${other}; ${pair}`
                : undefined;
            }),
          )
        : undefined,
  },
  {
    name: 'uninitialised-differs',
    holds:
      'The default and the complete graph engine agree on loads of memory that was never set. With a race, or a deadlock that ends its run, the default may miss that another schedule has one.',
    broken: ({ graph, defaults }) => {
      if (!isComplete(graph) || !isWhole(graph)) return undefined;
      const races = graph.errors.has('race');
      return first(defaults, (one) => {
        const [here, there] = [one.errors.has('uninitialised'), graph.errors.has('uninitialised')];
        const mayMiss = races || one.errors.has('deadlock');
        return here === there || (there && mayMiss) ? undefined : `${errorText(one)} / ${errorText(graph)}`;
      });
    },
  },
  {
    name: 'racy-outcome-not-in-graph',
    holds: 'With races, the values that hosts read are an outcome of the complete graph engine.',
    isNote: true,
    broken: ({ sampled, defaults, graph }) =>
      isComplete(graph) && graph.errors.has('race')
        ? first([...sampled, ...defaults], ({ engine, outcomes }) => inOneAlone(engine, outcomes, graph.outcomes))
        : undefined,
  },
  {
    name: 'kind-not-in-graph',
    holds: 'The complete graph engine finds each deadlock or fault of a sampled schedule.',
    broken: ({ sampled, defaults, graph }) =>
      isComplete(graph)
        ? first([...sampled, ...defaults], ({ engine, errors }) =>
            first([...errors], (kind) =>
              kind === 'race' || ofTheWatch.has(kind) || graph.errors.has(kind) ? undefined : `${engine}: ${kind}`,
            ),
          )
        : undefined,
  },
  {
    name: 'proxy-fences-differ',
    holds: 'The default and the complete graph engine agree on missing proxy fences.',
    broken: ({ sampled, defaults, graph }) => {
      if (!isComplete(graph) || !isWhole(graph)) return undefined;
      if (graph.errors.has('proxy')) return cleanBeside(graph, defaults);
      return first([...sampled, ...defaults], (one) => (one.errors.has('proxy') ? errorText(one) : undefined));
    },
  },
  {
    name: 'outcome-not-in-graph',
    holds:
      'Without races, the values that hosts read in a sampled schedule are an outcome of the complete graph engine.',
    broken: ({ sampled, defaults, graph }) =>
      isComplete(graph) && !graph.errors.has('race')
        ? first([...sampled, ...defaults], ({ engine, races, outcomes }) =>
            races.size > 0 ? undefined : inOneAlone(engine, outcomes, graph.outcomes),
          )
        : undefined,
  },
  {
    name: 'oracle-outcomes-differ',
    holds: 'Without races, the complete graph engine finds the same outcomes as brute force over the axioms.',
    broken: ({ truth, graph }) =>
      truth !== undefined && isComplete(graph) && !truth.races && !graph.errors.has('race')
        ? (inOneAlone('oracle', truth.outcomes, graph.outcomes) ?? inOneAlone('graph', graph.outcomes, truth.outcomes))
        : undefined,
  },
  {
    name: 'oracle-races-differ',
    holds: 'Brute force over the axioms and the complete graph engine agree on races.',
    broken: ({ truth, graph }) =>
      truth !== undefined && isComplete(graph) && truth.races !== graph.errors.has('race')
        ? `the oracle says ${truth.races ? 'race' : 'no race'}; ${errorText(graph)}`
        : undefined,
  },
  {
    name: 'oracle-deadlocks-differ',
    holds: 'Brute force over the axioms and the complete graph engine agree on deadlocks.',
    broken: ({ truth, graph }) =>
      truth !== undefined && isComplete(graph) && truth.deadlocks !== graph.errors.has('deadlock')
        ? `the oracle says ${truth.deadlocks ? 'deadlock' : 'none'}; ${errorText(graph)}`
        : undefined,
  },
  {
    name: 'proven-clean-oracle-not',
    holds:
      'If the counted run proves all schedules clean, brute force over the axioms finds neither race nor deadlock.',
    broken: ({ truth, counted }) =>
      counted.claimsAll && counted.verdict === 'clean' && truth !== undefined && (truth.races || truth.deadlocks)
        ? 'the oracle says race or deadlock'
        : undefined,
  },
];

/** True if the graph engine had not explored everything, perhaps for lack of time. */
function isCutShort({ role, claimsAll }: Observation): boolean {
  return (role === 'graph' || role === 'exhaustive') && !claimsAll;
}

function isFound({ errors }: Observation): boolean {
  return [...errors].some((kind) => lasting.has(kind));
}

function isComplete({ role, claimsAll, thrown }: Observation): boolean {
  return role === 'graph' && claimsAll && thrown === undefined;
}

/** True if every run ended normally. */
function isWhole({ errors }: Observation): boolean {
  return !errors.has('fault') && !errors.has('misuse') && !errors.has('out-of-bounds');
}

/** The engines among these that are clean although `found` is not clean. */
function cleanBeside(found: Observation, others: readonly Observation[]): string | undefined {
  return first(others, ({ engine, verdict }) =>
    verdict === 'clean' ? `${engine} is clean, ${errorText(found)}` : undefined,
  );
}

function errorText({ engine, errors, races }: Observation): string {
  return [`${engine}: ${[...errors].toSorted().join(', ')}`, ...races].join('; ');
}

/**
 * Tells that the worst race of one is milder than that of another. Other rules are about engines
 * without races.
 */
function milderThan(one: Observation, other: Observation): string | undefined {
  const [mild, severe] = [worstOf(one), worstOf(other)];
  if (mild === undefined || severe === undefined || !isWorse(severe, mild)) return undefined;
  const pairs = [...other.severities].filter(([, severity]) => severity === severe).map(([pair]) => pair);
  return [`${one.engine}: ${mild}, ${other.engine}: ${severe}`, ...pairs].join('; ');
}

function worstOf({ severities }: Observation): Severity | undefined {
  let worst: Severity | undefined;
  for (const severity of severities.values()) if (isWorse(severity, worst)) worst = severity;
  return worst;
}

function inOneAlone(name: string, one: ReadonlySet<string>, other: ReadonlySet<string>): string | undefined {
  return first([...one], (text) => (other.has(text) ? undefined : `${name} alone: ${text}`));
}

function first<T>(list: readonly T[], say: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const said = say(one);
    if (said !== undefined) return said;
  }
  return undefined;
}
