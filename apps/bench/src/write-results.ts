import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { provenance } from './provenance.ts';

/** This machine, in words: Node, cores, the CPU, and how busy it is. */
export function machineText(): string {
  const load = loadavg()[0]?.toFixed(1) ?? 'unknown';
  return `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}, load ${load}`;
}

/**
 * Writes a file of results that says by which commit and command, when and where it was made.
 * `machine` is as before the run.
 */
export function writeResults(file: string, machine: string, results: Readonly<Record<string, unknown>>): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...provenance(), machine, ...results }, undefined, 1)}\n`);
}
