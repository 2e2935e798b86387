import './verdicts.test.ts';
