import './long-turns.test.ts';
