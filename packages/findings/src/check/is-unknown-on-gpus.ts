import type { Finding } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';

/**
 * True if it is not known what GPUs do: an atomic of PTX that names no scope is too narrow, and
 * GPUs are not documented for its use on memory of other GPUs.
 */
export function isUnknownOnGpus({ labels, missing = [] }: Pick<Finding, 'labels'> & Partial<Finding>): boolean {
  return missing.some(({ kind, at }) => kind === 'scope' && [at, ...labels].some(isUnscoped));
}

function isUnscoped(label: FindingLabel | undefined): boolean {
  return label?.access?.unscoped === true;
}
