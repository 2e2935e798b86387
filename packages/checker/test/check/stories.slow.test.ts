import './stories.test.ts';
