import { stageDocuments } from './stage-documents.ts';
import { renderDocuments } from './render-documents.ts';
await stageDocuments();
await renderDocuments();
