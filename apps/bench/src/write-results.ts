import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { provenance } from './provenance.ts';

/** Describes this machine: Node, cores, the CPU, and the load. */
export function machineText(): string {
  const load = loadavg()[0]?.toFixed(1) ?? 'unknown';
  return `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}, load ${load}`;
}

/**
 * Writes a results file with its commit, command, date and machine. `machine` describes the machine
 * before the run.
 */
export function writeResults(file: string, machine: string, results: Readonly<Record<string, unknown>>): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...provenance(), machine, ...results }, undefined, 1)}\n`);
}
