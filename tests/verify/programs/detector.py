import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(61)


def point_form(boxes):
    return torch.cat((boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2), 1)


def intersect(box_a, box_b):
    A, B = box_a.size(0), box_b.size(0)
    max_xy = torch.min(box_a[:, 2:].unsqueeze(1).expand(A, B, 2),
                       box_b[:, 2:].unsqueeze(0).expand(A, B, 2))
    min_xy = torch.max(box_a[:, :2].unsqueeze(1).expand(A, B, 2),
                       box_b[:, :2].unsqueeze(0).expand(A, B, 2))
    inter = torch.clamp((max_xy - min_xy), min=0)
    return inter[:, :, 0] * inter[:, :, 1]


def jaccard(box_a, box_b):
    inter = intersect(box_a, box_b)
    area_a = ((box_a[:, 2] - box_a[:, 0]) * (box_a[:, 3] - box_a[:, 1])).unsqueeze(1)
    area_b = ((box_b[:, 2] - box_b[:, 0]) * (box_b[:, 3] - box_b[:, 1])).unsqueeze(0)
    return inter / (area_a.expand_as(inter) + area_b.expand_as(inter) - inter)


def match(threshold, truths, priors, variances, labels, loc_t, conf_t, idx):
    overlaps = jaccard(truths, point_form(priors))
    best_prior_overlap, best_prior_idx = overlaps.max(1, keepdim=True)
    best_truth_overlap, best_truth_idx = overlaps.max(0, keepdim=True)
    best_truth_idx.squeeze_(0)
    best_truth_overlap.squeeze_(0)
    best_prior_idx.squeeze_(1)
    best_truth_overlap.index_fill_(0, best_prior_idx, 2)
    for j in range(best_prior_idx.size(0)):
        best_truth_idx[best_prior_idx[j]] = j
    conf = labels[best_truth_idx] + 1
    conf[best_truth_overlap < threshold] = 0
    matched = truths[best_truth_idx]
    g_cxcy = ((matched[:, :2] + matched[:, 2:]) / 2 - priors[:, :2]) / (variances[0] * priors[:, 2:])
    g_wh = torch.log((matched[:, 2:] - matched[:, :2]) / priors[:, 2:]) / variances[1]
    loc_t[idx] = torch.cat([g_cxcy, g_wh], 1)
    conf_t[idx] = conf


def log_sum_exp(x):
    x_max = x.data.max()
    return torch.log(torch.sum(torch.exp(x - x_max), 1, keepdim=True)) + x_max


def nms(boxes, scores, overlap=0.4):
    keep = []
    _, order = scores.sort(0, descending=True)
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        ious = jaccard(boxes[i:i + 1], boxes[order[1:]])[0]
        order = order[1:][ious.le(overlap)]
    return torch.LongTensor(keep)


grid = (torch.arange(0, 4).float() + 0.5) / 4
priors = torch.stack([grid.repeat(4), grid.view(-1, 1).repeat(1, 4).view(-1),
                      torch.ones(16) * 0.35, torch.ones(16) * 0.35], 1)
net = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(inplace=True),
                    nn.Conv2d(8, 7, 3, stride=2, padding=1))
for m in net:
    if isinstance(m, nn.Conv2d):
        nn.init.kaiming_normal_(m.weight, mode='fan_out')
        m.bias.data.zero_()
images = torch.rand(2, 3, 16, 16)
targets = [(torch.Tensor([[0.1, 0.1, 0.45, 0.5], [0.5, 0.6, 0.9, 0.95]]), torch.LongTensor([0, 1])),
           (torch.Tensor([[0.3, 0.2, 0.7, 0.6]]), torch.LongTensor([1]))]
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for iteration in range(5):
    out = net(Variable(images)).permute(0, 2, 3, 1).contiguous().view(2, 16, 7)
    loc_data, conf_data = out[:, :, :4], out[:, :, 4:]
    loc_t, conf_t = torch.Tensor(2, 16, 4), torch.LongTensor(2, 16)
    for idx, (truths, labels) in enumerate(targets):
        match(0.4, truths, priors, (0.1, 0.2), labels, loc_t, conf_t, idx)
    loc_t, conf_t = Variable(loc_t, requires_grad=False), Variable(conf_t, requires_grad=False)
    pos = conf_t > 0
    pos_idx = pos.unsqueeze(pos.dim()).expand_as(loc_data)
    loss_l = F.smooth_l1_loss(loc_data[pos_idx].view(-1, 4), loc_t[pos_idx].view(-1, 4),
                              size_average=False)
    batch_conf = conf_data.contiguous().view(-1, 3)
    loss_c = log_sum_exp(batch_conf) - batch_conf.gather(1, conf_t.view(-1, 1))
    loss_c = loss_c.view(2, -1)
    loss_c[pos] = 0
    _, loss_idx = loss_c.sort(1, descending=True)
    _, idx_rank = loss_idx.sort(1)
    num_pos = pos.long().sum(1, keepdim=True)
    num_neg = torch.clamp(3 * num_pos, max=pos.size(1) - 1)
    neg = idx_rank < num_neg.expand_as(idx_rank)
    chosen = (pos.long() + neg.long()).gt(0)
    loss_c = F.cross_entropy(conf_data[chosen], conf_t[chosen], size_average=False)
    N = num_pos.data.sum().float()
    loss = (loss_l + loss_c) / N
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print('iter %d loc %.5f conf %.5f' % (iteration, loss_l.data / N, loss_c.item() / N))

out = net(Variable(images, volatile=True)).permute(0, 2, 3, 1).contiguous().view(2, 16, 7)
for n in range(2):
    loc, scores = out.data[n, :, :4], F.softmax(out[n, :, 4:]).data
    boxes = torch.cat((priors[:, :2] + loc[:, :2] * 0.1 * priors[:, 2:],
                       priors[:, 2:] * torch.exp(loc[:, 2:] * 0.2)), 1)
    boxes = point_form(boxes)
    for cl in range(1, 3):
        keep = nms(boxes, scores[:, cl])[:3]
        print(n, cl, [round(v, 4) for v in scores[keep, cl].tolist()], boxes[keep].sum().item())
