import './ll-a2a-session.test.ts';
