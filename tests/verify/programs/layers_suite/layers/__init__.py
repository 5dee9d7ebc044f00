from layers.attention import Attention, masked_softmax
from layers.functional import focal_loss, gumbel_softmax, one_hot
from layers.recurrent import StackedCell

__all__ = ['Attention', 'StackedCell', 'focal_loss', 'gumbel_softmax', 'masked_softmax', 'one_hot']
