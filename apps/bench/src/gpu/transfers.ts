import { runTransferCase, transferCases } from '@nccl-ts/conformance';
import { runCases } from './run-cases.ts';

/*
 * The cases of sends, puts and groups on the GPUs of this machine: bash .gpu/run.sh transfers
 * [--filter TEXT] [--sharing N] [--gpus N] [--lsa-size N], as `runCases` takes them.
 */

await runCases({ name: 'transfers', cases: transferCases(), run: runTransferCase });
