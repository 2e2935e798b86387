export { plugin, plugin as default, type LintConfig, type LintPlugin, type RuleName } from './plugin.ts';
export type { Fixer, LintRule, Position, RuleProblem, RuleContext, SourceText, WritesFix } from './rules/rule-types.ts';
