import { findingKindNames, findingKinds, type FindingKind, type FindingKindFacts } from './finding-kinds.ts';
import { missingHelp } from './finding-words.ts';
import type { Finding, MissingKind } from './finding.ts';
import type { SarifRule } from './sarif-log.ts';

/**
 * The rule's id. For a race it includes the first missing ingredient, as in `race/scope`, because
 * the remedy depends on it. For all other kinds it is the kind.
 */
export function ruleId({ kind, missing }: Pick<Finding, 'kind' | 'missing'>): string {
  const [nearest] = missing;
  return kind === 'race' && nearest !== undefined ? `${kind}/${nearest.kind}` : kind;
}

/**
 * The rules, which are the same for every report. Each kind has a rule, and races have one more for
 * every ingredient that may be missing.
 */
export function sarifRules(): readonly SarifRule[] {
  const ingredients = Object.keys(missingHelp).filter(isMissingKind);
  return [...findingKindNames.map(kindRule), ...ingredients.map(raceRule)];
}

function isMissingKind(name: string): name is MissingKind {
  return Object.hasOwn(missingHelp, name);
}

function kindRule(kind: FindingKind): SarifRule {
  const { title, help, level } = findingKinds[kind];
  return rule(kind, `${title}.`, help, level);
}

function raceRule(missing: MissingKind): SarifRule {
  const { title, help, level } = findingKinds.race;
  const ingredient = missingHelp[missing];
  return rule(`race/${missing}`, `${title}: ${ingredient.title}.`, `${help} ${ingredient.help}`, level);
}

function rule(id: string, title: string, help: string, level: FindingKindFacts['level']): SarifRule {
  return {
    id,
    name: pascal(id),
    shortDescription: { text: title },
    fullDescription: { text: help },
    help: { text: help },
    defaultConfiguration: { level },
  };
}

/** Converts a rule's id to a SARIF rule name, such as `RaceCoopSync`. */
function pascal(id: string): string {
  return id.replaceAll(/(?:^|[^a-z])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
