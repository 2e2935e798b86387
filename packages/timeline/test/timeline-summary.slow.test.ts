import './timeline-summary.test.ts';
