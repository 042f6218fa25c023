import { type Fact, known, mapFact, unknown } from '../objects/fact.ts';
import type { VolumeSource } from '../objects/persistent-volume.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import { NO_PROVISIONER } from './binding.ts';
import type { Reading } from './claim.ts';
import { driverOf } from './storage-backend.ts';

/** Whether volumes that the class will provision are attached: by the driver's own object, or the storage matrix. */
export function attachableProvisioner({ name, provisioner }: StorageClass, reading: Reading): Fact<boolean> {
  const open = unknown(`nothing tells whether volumes of class ${name} (${provisioner}) are attached`);
  if (provisioner === NO_PROVISIONER) return open;
  const driver = reading.snapshot.get('CSIDriver', '', driverOf(provisioner));
  if (driver.known && driver.value !== undefined) return known(driver.value.attachRequired);
  if (!driver.known) reading.missed({ kind: 'CSIDriver', namespace: '', name: driverOf(provisioner) });
  return fromMatrix(reading.matrix(provisioner)?.attach, open);
}

function fromMatrix(attach: 'yes' | 'no' | 'depends' | '?' | undefined, open: Fact<boolean>): Fact<boolean> {
  return attach === 'yes' || attach === 'no' ? known(attach === 'yes') : open;
}

/** `pkg/volume/csi/csi_plugin.go:CanAttach`: a driver without a CSIDriver object attaches. */
export function attachableSource(source: VolumeSource, reading: Reading): Fact<boolean> {
  switch (source.type) {
    case 'csi': {
      const driver = reading.snapshot.get('CSIDriver', '', source.driver);
      if (!driver.known) reading.missed({ kind: 'CSIDriver', namespace: '', name: source.driver });
      return mapFact(driver, (found) => found?.attachRequired ?? true);
    }
    case 'tracked':
      return known(true);
    case 'flexVolume':
      return unknown(`only the FlexVolume driver ${source.driver} knows whether its volumes are attached`);
    case 'unattached':
      return known(false);
    default:
      return source satisfies never;
  }
}
