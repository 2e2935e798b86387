import { kindHelp, missingHelp } from './finding-words.ts';
import type { Finding, FindingKind, MissingKind } from './finding.ts';
import type { SarifRule } from './sarif-log.ts';

/** `race/scope`, of races, whose remedy depends on what is missing first of all; the kind, of all else. */
export function ruleId({ kind, missing }: Pick<Finding, 'kind' | 'missing'>): string {
  const [nearest] = missing;
  return kind === 'race' && nearest !== undefined ? `${kind}/${nearest.kind}` : kind;
}

/** A rule for every kind, and for a race one more for every ingredient that may be missing. The same for every report. */
export function sarifRules(): readonly SarifRule[] {
  const kinds = Object.keys(kindHelp).filter(isFindingKind);
  const ingredients = Object.keys(missingHelp).filter(isMissingKind);
  return [...kinds.map(kindRule), ...ingredients.map(raceRule)];
}

function isFindingKind(name: string): name is FindingKind {
  return Object.hasOwn(kindHelp, name);
}

function isMissingKind(name: string): name is MissingKind {
  return Object.hasOwn(missingHelp, name);
}

function kindRule(kind: FindingKind): SarifRule {
  const { title, help } = kindHelp[kind];
  return rule(kind, `${title}.`, help);
}

function raceRule(missing: MissingKind): SarifRule {
  const { title, help } = kindHelp.race;
  const ingredient = missingHelp[missing];
  return rule(`race/${missing}`, `${title}: ${ingredient.title}.`, `${help} ${ingredient.help}`);
}

function rule(id: string, title: string, help: string): SarifRule {
  return {
    id,
    name: pascal(id),
    shortDescription: { text: title },
    fullDescription: { text: help },
    help: { text: help },
    defaultConfiguration: { level: id === 'incomplete' ? 'warning' : 'error' },
  };
}

/** `RaceCoopSync`, as names of rules are written there. */
function pascal(id: string): string {
  return id.replaceAll(/(?:^|[^a-z])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
