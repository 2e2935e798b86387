import { normCases, runNormCase } from '@nccl-ts/conformance';
import { runCases } from './run-cases.ts';

/*
 * The cases of AllReduce with RMSNorm on the GPUs of this machine: bash .gpu/run.sh norms
 * [--filter TEXT] [--sharing N] [--gpus N], as `runCases` takes them.
 */

await runCases({ name: 'norms', cases: normCases(), run: runNormCase });
