import './wide-words.test.ts';
