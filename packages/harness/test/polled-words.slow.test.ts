import './polled-words.test.ts';
