import { kernelFindings } from './analyse/kernel-findings.ts';
import { launchFindings } from './analyse/launch-findings.ts';
import { syncFindings } from './analyse/sync-findings.ts';
import { ruleOf } from './rules/rule-of.ts';
import type { LintRule } from './rules/rule-types.ts';

/** The names of the rules, without the plugin's. */
export type RuleName = 'kernel' | 'launch' | 'uniform-sync';

/** A configuration of ESLint, as an array of `eslint.config.js` takes it. */
export interface LintConfig {
  readonly plugins: { readonly '@nccl-ts': LintPlugin };
  readonly rules: { readonly [Name in `@nccl-ts/${RuleName}`]: 'error' };
}

/** The plugin, in the form of ESLint 9 and 10, which oxlint reads too. */
export interface LintPlugin {
  readonly meta: { readonly name: string; readonly namespace: string };
  readonly rules: Readonly<Record<RuleName, LintRule>>;
  readonly configs: { readonly recommended: LintConfig };
}

/**
 * Reports mistakes in kernels and in their launches while they are written. It reads the text of a
 * file and of the files that it imports by a relative path, and runs none of them.
 *
 * It does not report what depends on values that the text does not show, and no races: `nccl-ts
 * check` runs the kernel for those.
 */
export const plugin: LintPlugin = {
  meta: { name: '@nccl-ts/eslint-plugin', namespace: '@nccl-ts' },
  rules: {
    kernel: ruleOf('Kernels compile: the K-codes of the kernel language.', kernelFindings),
    launch: ruleOf('Launches pass arguments that the kernel takes, and enough barriers.', launchFindings),
    'uniform-sync': ruleOf('All threads of a CTA reach its synchronizations.', syncFindings),
  },
  configs: {
    // ESLint compares the plugin by identity, so that the configuration refers to it.
    get recommended(): LintConfig {
      return recommended;
    },
  },
};

const recommended: LintConfig = {
  plugins: { '@nccl-ts': plugin },
  rules: { '@nccl-ts/kernel': 'error', '@nccl-ts/launch': 'error', '@nccl-ts/uniform-sync': 'error' },
};
