import './vote-times.test.ts';
