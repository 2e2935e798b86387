import './copies-of-blocks.test.ts';
