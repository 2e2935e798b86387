import type { Example } from '../example.ts';
import { examples } from '../examples.ts';
import { hostExamples } from '../host-examples.ts';
import { firstExamples } from './first-examples.ts';

/** All examples that a campaign can run. */
export const allExamples: readonly Example[] = [...firstExamples, ...examples, ...hostExamples];
