import { Title } from '../../kit/parts/title.tsx';
import { Declines } from './decline-report.tsx';
import { Month } from './month.tsx';

export const ReportsPage = () => (
  <>
    <Title>Reports</Title>
    <Month />
    <Declines />
  </>
);
