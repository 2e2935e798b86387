import './misuse.test.ts';
