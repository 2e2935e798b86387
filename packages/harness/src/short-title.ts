import { matchingEntries, withoutParameters, type PtxModule } from '@nccl-ts/ptx';

/** The shortest of a few parts of a title that only one entry has. */
export function shortTitleOf(module: PtxModule, title: string): string {
  const named = withoutParameters(title);
  const own = lastName(named);
  const bare = own.replace(/<.*$/su, '');
  return [bare, own, named].find((part) => part !== '' && matchingEntries(module, part).length === 1) ?? title;
}

/** A name without its namespaces, with its template arguments. */
function lastName(title: string): string {
  let depth = 0;
  let from = 0;
  for (let i = 0; i < title.length; i++) {
    if (title[i] === '<' || title[i] === '(') depth++;
    else if (title[i] === '>' || title[i] === ')') depth--;
    else if (depth === 0 && title.startsWith('::', i)) from = i + 2;
  }
  return title.slice(from);
}
