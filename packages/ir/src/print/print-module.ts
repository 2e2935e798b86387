import { Writer } from '../emit/writer.ts';
import type { Module } from '../module.ts';
import type { Span } from '../span.ts';
import { printBody } from './print-statement.ts';
import { printName, printSpan, printType } from './print-words.ts';

/** The optional parts of a module's text. */
export interface PrintOptions {
  /**
   * True to print all spans and the captured texts that they refer to. Without them the text is
   * shorter.
   * @default false
   */
  readonly spans?: boolean;
}

/**
 * Prints the module for people and for `parseModule`, one statement per line. Parsing the text
 * gives an equal module. With `spans: false` its spans are empty. The text never contains
 * `Source.locate`.
 */
export function printModule(module: Module, options: PrintOptions = {}): string {
  return printed(module, options.spans ?? false).text;
}

/** The text of a module without its spans, and where each of its lines comes from. */
export interface PrintedModule {
  readonly text: string;
  /** For each line the span of the statement that begins there. */
  readonly lines: readonly (Span | undefined)[];
}

/** As `printModule`, with the span of each line. */
export function printModuleLines(module: Module): PrintedModule {
  return printed(module, false);
}

function printed(module: Module, spans: boolean): PrintedModule {
  const writer = new Writer();
  const lines: (Span | undefined)[] = [];
  const at = (item: Module['locals' | 'arrays'][number]): string => (spans ? ` @${printSpan(item.span)}` : '');

  writer.line(`kernel ${printName(module.name)}`);
  if (module.apiVersion !== undefined) writer.line(`apiVersion ${module.apiVersion}`);
  const { cluster } = module;
  if (cluster !== undefined) writer.line(`cluster ${cluster.x} ${cluster.y} ${cluster.z}`);
  if (spans) {
    module.sources.forEach((source, id) => {
      writer.line(`source ${id} ${printName(source.name)} = ${JSON.stringify(source.text)}`);
    });
  }
  module.params.forEach((param, id) => writer.line(`param $${id} ${printName(param.name)}: ${printType(param.type)}`));
  module.arrays.forEach((array, id) => {
    const type = `${printType(array.element)}[${array.length}]`;
    writer.line(`array #${id} ${printName(array.name)}: ${array.space} ${type}${at(array)}`);
  });
  module.locals.forEach((local, id) => {
    writer.line(`local %${id} ${printName(local.name)}: ${printType(local.type)}${at(local)}`);
  });
  writer.block('{', () => {
    printBody(module.body, {
      spans,
      line: (text, statement) => {
        lines[writer.lineCount] = statement?.span;
        writer.line(text);
      },
      indented: (print) => writer.indented(print),
    });
  });
  return { text: writer.toString(), lines: Array.from({ length: writer.lineCount }, (_, i) => lines[i]) };
}
