import { languageService, type Language } from './language-service.ts';
import type { LanguageRequest } from './protocol.ts';

/** The declarations are a file of the site. It loads while TypeScript starts. */
const language: Promise<Language> = fetch(new URL('types.json', import.meta.url))
  .then(async (response) => response.json() as Promise<Readonly<Record<string, string>>>)
  .then(languageService);

globalThis.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: LanguageRequest }>) => {
  void answer(data.id, data.request);
};

async function answer(id: number, request: LanguageRequest): Promise<void> {
  try {
    globalThis.postMessage({ id, answer: answerOf(await language, request) });
  } catch (error) {
    globalThis.postMessage({ id, problem: String(error) });
  }
}

function answerOf(own: Language, request: LanguageRequest): unknown {
  own.update(request.text);
  switch (request.kind) {
    case 'problems':
      return own.problems();
    case 'hover':
      return own.hover(request.at);
    case 'completions':
      return own.completions(request.at);
    case 'details':
      return own.details(request.at, request.name);
    case 'signature':
      return own.signature(request.at);
  }
}
