import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { NcclError } from '@nccl-ts/core';
import { renderSections, type RenderOptions } from '@nccl-ts/ir';

/** Renders the error of a `todo` in a harness, with the line to fill in if it can be read. */
export function todoText({ message, details }: NcclError, options: RenderOptions): string {
  const { what, location } = details;
  const [, file, row, column] = /^(.*):(\d+):(\d+)$/.exec(String(location)) ?? [];
  const [line, start] = [Number(row), Number(column) - 1];
  const text = file === undefined ? undefined : lineOf(file, line);
  if (file === undefined || text === undefined) return message;
  const path = relative(process.cwd(), file);
  const name = path.startsWith('..') ? file : path;
  const quote = { text, from: 'author', line, start, end: start + 'todo'.length } as const;
  const shown = { home: file, name: `${name}:${line}:${start + 1}`, quote, row: line };
  return `${message}\n${renderSections([{ labels: [{ shown, text: `write ${String(what)}` }], notes: [] }], 'error', options)}`;
}

function lineOf(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[line - 1];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
